import type { RunError, RunLog } from '../../../run.ts'
import { toDuration } from '../../components/format.ts'
import type { RunFailure } from './failure.ts'

/** Formats a failure as Markdown, with the route, the input, the error and its location. */
export function toMarkdown(failure: RunFailure): string {
  const { route, status, code, message, input, envelope, thrown, run } = failure
  const parts = [
    `# ${message}`,
    `\`${route}\` ${status === 0 ? 'received no response' : `returned ${status}${code === null ? '' : ` ${code}`}`}${
      run === undefined || run.ms === null ? '' : ` after ${toDuration(run.ms)}`
    }.`,
    ...section('Input', input.body.trim() === '' ? null : fence('json', input.body)),
    ...section('Error', thrown === null ? null : toErrorText(thrown)),
    ...section('Response to the caller', envelope === null ? null : fence('json', JSON.stringify(envelope, null, 2))),
    ...section(
      'Logs',
      run === undefined || run.logs.length === 0 ? null : fence('', run.logs.map(formatLog).join('\n')),
    ),
  ]
  return `${parts.join('\n\n')}\n`
}

function section(title: string, text: string | null): string[] {
  return text === null ? [] : [`## ${title}`, text]
}

/** Returns a code block. Its fence is longer than any run of backticks in the text, so the text cannot close it. */
function fence(language: string, text: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, ticks) => Math.max(most, ticks.length), 2)
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${language}\n${text}\n${ticks}`
}

function toErrorText({ name, message, frames, codeFrame, cause }: RunError): string {
  const stack = frames
    .filter(({ isForeign }) => !isForeign)
    .map(
      ({ name: where, file, line, column }) =>
        `    at ${where === '' ? '(anonymous)' : where} (${file}:${line}:${column})`,
    )
  return [
    fence('', [`${name}: ${message}`, ...stack].join('\n')),
    ...(codeFrame === '' ? [] : [fence('ts', codeFrame)]),
    ...(cause === null ? [] : ['Caused by:', toErrorText(cause)]),
  ].join('\n\n')
}

function formatLog({ at, level, message, fields }: RunLog): string {
  return `+${toDuration(at)} ${level} ${message}${fields === null ? '' : ` ${fields}`}`
}
