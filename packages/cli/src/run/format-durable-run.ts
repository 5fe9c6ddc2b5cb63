import type { InspectedRun, InspectedStep, RunInspection, RunPause, StoredJson } from '@sdk/server'
import type { TerminalStyle } from '@sdk/server/node'
import { toSafeTable, toSection, toTime } from './format-run.ts'

/** Formats durable runs as a table. */
export function toDurableTable(runs: readonly InspectedRun[]): string[] {
  return toSafeTable([
    ['durable run', 'time', 'status', 'agent', 'steps', 'attempts', 'thread'],
    ...runs.map(({ id, createdAt, status, agent, stepCount, epoch, thread }) => [
      id,
      toTime(Date.parse(createdAt)),
      status,
      agent,
      String(stepCount),
      String(epoch),
      thread ?? '',
    ]),
  ])
}

/** Formats a durable run with its steps, events, chunks and result. */
export function toDurableLines(found: RunInspection, paint: TerminalStyle): string[] {
  const { run, input, output, error, steps, events, chunks, chunkCount, firstChunk } = found
  const colour = run.status === 'done' ? paint.green : run.endedAt === null ? paint.cyan : paint.red
  const shown = chunks.map((chunk, index) => `#${firstChunk + index + 1} ${toText(chunk)}`)
  const earlier = firstChunk > 0 ? [`… ${firstChunk} earlier chunks`] : []
  return [
    `${paint.bold(run.agent)}  ${colour(run.status)}${toWaitingText(run)}`,
    ...toSafeTable([
      ['run', run.id],
      ['created', toTime(Date.parse(run.createdAt))],
      ...(run.endedAt === null ? [] : [['ended', toTime(Date.parse(run.endedAt))]]),
      ['user', run.userId ?? 'anonymous'],
      ...(run.thread === null ? [] : [['thread', run.thread]]),
      ['attempts', String(run.epoch)],
    ]),
    ...toSection('Input', input === null ? [] : [toText(input)], paint),
    ...toSection('Steps', toStepTable(steps), paint),
    ...toSection(
      'Events',
      events.map(({ key, value }) => `${key} ${value === null ? 'timed out' : toText(value)}`),
      paint,
    ),
    ...toSection(`Chunks (${chunkCount})`, shown.length === 0 ? [] : [...earlier, ...shown], paint),
    ...toSection('Output', output === null ? [] : [toText(output)], paint),
    ...toSection('Error', error === null ? [] : [toText(error)], paint),
  ]
}

function toStepTable(steps: readonly InspectedStep[]): string[] {
  const rows = steps.map((step) => [step.name, step.kind, ...toStepCells(step)])
  return rows.length === 0 ? [] : toSafeTable([['name', 'kind', 'ms', 'tries', 'attempt', 'process', 'value'], ...rows])
}

function toStepCells(step: InspectedStep): string[] {
  const { attempts, epoch, process, value } = step
  const text = value === null || step.kind === 'sleep' ? '' : toText(value, 60)
  return [toMsText(step), String(attempts), String(epoch), process?.slice(0, 8) ?? '', text]
}

function toMsText({ startedAt, endedAt }: InspectedStep): string {
  return endedAt === null ? '' : String(Date.parse(endedAt) - Date.parse(startedAt))
}

/** Formats a step on one line. */
export function toStepLine(step: InspectedStep): string {
  const { name, kind, attempts, endedAt } = step
  if (kind === 'sleep') return `sleep ${name} until ${endedAt}`
  if (kind === 'wait') return `wait ${name}`
  return `${kind} ${name} ${toMsText(step)} ms${attempts > 1 ? `, ${attempts} tries` : ''}`
}

/** Returns the event or time that a run waits for, or an empty text. */
export function toWaitingText({ waiting }: Pick<InspectedRun, 'waiting'>): string {
  const { event = null, id = null, until = null } = JSON.parse(waiting ?? '{}') as Partial<RunPause['waiting']>
  const what = event === null ? '' : ` for ${event}${id === null ? '' : ` ${id}`}`
  return waiting === null ? '' : `${what}${until === null ? '' : ` until ${until}`}`
}

/** Returns JSON on one line, marked if it is truncated. */
export function toText({ text, size }: StoredJson, max: number = Number.POSITIVE_INFINITY): string {
  return size > Math.min(max, text.length) ? `${text.slice(0, max)}…` : text
}
