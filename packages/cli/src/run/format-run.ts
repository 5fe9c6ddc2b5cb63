import type { Run, RunError, RunSummary, RunText } from '@sdk/workbench'
import { printable, type TerminalStyle } from '@sdk/server/node'
import { toTable } from '../terminal.ts'

/** Formats runs as a table with columns such as the time, state, route and caller. */
export function toRunTable(runs: readonly RunSummary[]): string[] {
  return toSafeTable([
    ['id', 'time', 'state', 'route', 'ms', 'caller', 'identity'],
    ...runs.map((run) => [
      run.id,
      toTime(run.startedAt),
      run.status === 0 || run.state === 'done' ? run.state : `${run.state} ${run.status}`,
      run.route ?? `${run.method} ${run.target}`,
      run.ms === null ? '' : String(Math.round(run.ms)),
      run.caller,
      identityName(run),
    ]),
  ])
}

/** Formats a run with its input, output, logs and error. */
export function toRunLines(run: Run, paint: TerminalStyle): string[] {
  const colour = run.state === 'done' ? paint.green : run.state === 'running' ? paint.cyan : paint.red
  const ms = run.ms === null ? '' : `  ${Math.round(run.ms)} ms`
  return [
    `${paint.bold(printable(run.route ?? run.target))}  ${colour(run.state)}${run.status === 0 ? '' : ` ${run.status}`}${ms}`,
    ...toSafeTable([
      ['run', run.id],
      ['time', toTime(run.startedAt)],
      ['called', `${run.method} ${run.target}`],
      ['caller', run.caller],
      ['identity', identityName(run)],
      ['request', run.requestId],
    ]),
    ...toSection('Input', toTextLines(run.request.body), paint),
    ...toSection('Output', run.pieces.flatMap(toChunkLines), paint),
    ...toSection('Logs', run.logs.map(toRunLogLine), paint),
    ...toSection('Error', run.thrown === null ? [run.error ?? []].flat() : toErrorLines(run.thrown), paint),
  ]
}

/** Formats a timestamp as local time, such as `2026-11-15 18:50:06`. This is the format of the Swedish locale. */
export function toTime(startedAt: number): string {
  return new Date(startedAt).toLocaleString('sv-SE')
}

function identityName({ identity }: RunSummary): string {
  return identity === null ? 'anonymous' : (identity.email ?? identity.userId)
}

/** Formats lines below a title. Returns no lines if there are none. */
export function toSection(title: string, lines: readonly string[], paint: TerminalStyle): string[] {
  const shown = lines.flatMap((line) => line.split('\n')).map((line) => `  ${printable(line, CONTROL_CHARACTERS)}`)
  return shown.length === 0 ? [] : ['', paint.bold(title), ...shown]
}

/** Matches control characters, which are escaped: a caller's text must not move the cursor or forge a line. */
const CONTROL_CHARACTERS = /(?!\t)\p{Cc}/gu

/** Formats rows as a table, with control characters escaped. */
export function toSafeTable(rows: readonly (readonly string[])[]): string[] {
  return toTable(rows.map((row) => row.map((cell) => printable(cell))))
}

function toChunkLines(piece: Run['pieces'][number]): string[] {
  const mark = piece.from === undefined ? '' : piece.from === 'client' ? '→ ' : '← '
  return toTextLines(piece).map((line) => `${mark}${line}`)
}

function toTextLines(text: RunText | null): string[] {
  if (text === null || text.bytes === 0) return []
  if (text.encoding === 'base64') return [`binary data, ${text.bytes} B`]
  const lines = (text.isCut ? text.text : indentJson(text.text)).trimEnd().split('\n')
  return text.isCut ? [...lines, `… truncated, ${text.bytes} B in total`] : lines
}

function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text // the text is not JSON, or is only part of a JSON value
  }
}

function toRunLogLine({ at, level, message, fields }: Run['logs'][number]): string {
  return `+${Math.round(at)} ms ${level} ${message}${fields === null ? '' : ` ${fields}`}`
}

function toErrorLines({ name, message, code, frames, codeFrame, cause }: RunError): string[] {
  const own = frames.filter((frame) => !frame.isForeign)
  return [
    `${name}${code === null ? '' : ` ${code}`}: ${message}`,
    ...own.map(
      (frame) => `at ${frame.name === '' ? 'code' : frame.name} (${frame.file}:${frame.line}:${frame.column})`,
    ),
    ...(codeFrame === '' ? [] : codeFrame.split('\n')),
    ...(cause === null ? [] : toErrorLines(cause).map((line, index) => (index === 0 ? `caused by ${line}` : line))),
  ]
}
