import type { Run, RunLog, RunSpan } from '../../../run.ts'

/** A row in a trace: the run itself, or an agent that it called. */
export interface TraceRow {
  /** The number of the span; 0 is the run itself. */
  readonly id: number
  readonly depth: number
  readonly name: string
  readonly startedAt: number
  /** The end time. For a span that has not ended, it is the end of the run. */
  readonly endedAt: number
  readonly isOver: boolean
  readonly hasFailed: boolean
  readonly logs: readonly RunLog[]
  /** The span, or null for the run itself. */
  readonly span: RunSpan | null
}

/** Converts a run's spans to rows in the order in which they started, with parents before their children. */
export function toTraceRows(run: Run): TraceRow[] {
  const end = traceEnd(run)
  const rows: TraceRow[] = [
    {
      id: 0,
      depth: 0,
      name: run.route ?? run.target,
      startedAt: 0,
      endedAt: end,
      isOver: run.ms !== null,
      hasFailed: run.state === 'failed',
      logs: run.logs.filter(({ spanId }) => spanId === 0),
      span: null,
    },
  ]
  const byParent = new Map<number, RunSpan[]>()
  for (const span of run.spans.toSorted((a, b) => a.startedAt - b.startedAt)) {
    byParent.set(span.parentId, [...(byParent.get(span.parentId) ?? []), span])
  }
  add(0, 1)
  return rows

  function add(parentId: number, depth: number): void {
    for (const span of byParent.get(parentId) ?? []) {
      rows.push(toRow(span, depth))
      add(span.id, depth + 1)
    }
  }

  function toRow(span: RunSpan, depth: number): TraceRow {
    const { id, route, startedAt, endedAt, error } = span
    const logs = run.logs.filter(({ spanId }) => spanId === id)
    const isOver = endedAt !== null
    return { id, depth, name: route, startedAt, endedAt: endedAt ?? end, isOver, hasFailed: error !== null, logs, span }
  }
}

/** Returns the end of a run's trace, in ms. */
export function traceEnd({ ms, spans, logs, pieces }: Run): number {
  const moments = [
    ms ?? 0,
    pieces.at(-1)?.at ?? 0,
    logs.at(-1)?.at ?? 0,
    ...spans.map(({ startedAt, endedAt }) => endedAt ?? startedAt),
  ]
  return moments.reduce((most, moment) => Math.max(most, moment), 1)
}

/** Converts a time to a CSS percentage of the trace. */
export function toPercent(moment: number, end: number): string {
  return `${Math.round((moment / end) * 10_000) / 100}%`
}
