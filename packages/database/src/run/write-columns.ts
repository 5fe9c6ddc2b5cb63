import type { FinishedStep, RunWrite } from '@sdk/server'
import { toColumnText } from '../engine/column-text.ts'
import { WRITE, WRITE_ENDS, WRITE_STEP, WRITE_STEPS, type RunSql } from './run-sql.ts'

/** Returns the statement for writes, with its parameters. */
export function toWrite(
  process: string,
  writes: readonly RunWrite[],
  channel: string | null,
): [statement: RunSql, values: unknown[]] {
  const ends = writes.flatMap(({ end, chunks, steps }) =>
    end === null || end.status === 'waiting' || end.state !== undefined || chunks.length + steps.length > 0 ? [] : end,
  )
  if (writes.every(({ end, chunks }) => end === null && chunks.length === 0)) {
    const [first, second] = writes.flatMap((write) => write.steps.map((step) => ({ ...write, step })))
    if (writes.length === 1 && first !== undefined && second === undefined) return toStepWrite(process, first, channel)
    const [ids, epochs, , , , , kepts, , , , ...columns] = toColumns(writes)
    return [WRITE_STEPS, [process, ids, epochs, kepts, ...columns, toTraces(process, writes), channel]]
  }
  if (ends.length < writes.length) return [WRITE, toWriteValues(process, writes, channel)]
  const [ids, epochs] = [writes.map(({ id }) => id), writes.map(({ epoch }) => epoch)]
  const columns = (['status', 'output', 'error'] as const).map((name) => ends.map((end) => end[name]))
  return [WRITE_ENDS, [process, ids, epochs, ...columns, channel]]
}

/** Returns the statement that stores one finished step, with its parameters. */
export function toStepWrite(
  process: string,
  { id, epoch, step }: Pick<RunWrite, 'id' | 'epoch'> & { readonly step: FinishedStep },
  channel: string | null,
): [statement: RunSql, values: unknown[]] {
  const { name, value, chunks, trace } = step
  const values = [process, id, epoch, toColumnText(name), value, chunks, JSON.stringify({ ...trace, epoch, process })]
  return [WRITE_STEP, [...values, channel]]
}

function toWriteValues(process: string, writes: readonly RunWrite[], channel: string | null): unknown[] {
  const more = [...toPauses(writes), toTraces(process, writes), toStates(writes)]
  return [process, ...toColumns(writes), channel, ...more]
}

/** Converts the ids, chunks, ends and steps of writes: an array for each column. */
function toColumns(writes: readonly RunWrite[]): unknown[][] {
  const datas = writes.map(({ chunks }) => chunks.join('\n'))
  const kepts = writes.map(({ steps }) => (steps.length === 0 ? null : Math.max(...steps.map(({ chunks }) => chunks))))
  const ends = writes.map(({ end }) => (end?.status === 'waiting' ? null : end))
  const steps = writes.flatMap((write) => write.steps.map((step) => ({ ...step, run: write.id })))
  return [
    writes.map(({ id }) => id),
    writes.map(({ epoch }) => epoch),
    writes.map(({ first }) => first),
    writes.map(({ chunks }) => chunks.length),
    datas.map((data) => data.length),
    datas,
    kepts,
    writes.map(({ end }) => end?.status ?? null),
    ends.map((end) => end?.output ?? null),
    ends.map((end) => end?.error ?? null),
    steps.map(({ run }) => run),
    steps.map(({ name }) => toColumnText(name)),
    steps.map(({ value }) => value),
    steps.map(({ chunks }) => chunks),
  ]
}

/** Converts the traces of steps to a further parameter of the statement. */
function toTraces(process: string, writes: readonly RunWrite[]): string[] {
  return writes.flatMap(({ epoch, steps }) => steps.map(({ trace }) => JSON.stringify({ ...trace, epoch, process })))
}

/** Converts the new thread states of writes to a further parameter of the statement. */
function toStates(writes: readonly RunWrite[]): (string | null)[] {
  return writes.map(({ end }) => (end?.status === 'waiting' ? null : (end?.state ?? null)))
}

/** Converts the pauses of writes to further parameters of the statement. */
function toPauses(writes: readonly RunWrite[]): unknown[][] {
  const pauses = writes.map(({ end }) => (end?.status === 'waiting' ? end : null))
  return [
    pauses.map((pause) => pause?.dueAt ?? null),
    pauses.map((pause) => pause && JSON.stringify(pause.waiting)),
    pauses.map((pause) => pause?.events.join('\n') ?? null),
  ]
}
