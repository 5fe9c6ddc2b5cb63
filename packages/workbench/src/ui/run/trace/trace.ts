import type { Run, RunLog, RunModelStep, RunSpan, RunTokens } from '../../../run.ts'

/** A row in a trace: the run itself, an agent that it called, or a step of a model. */
export interface TraceRow {
  /** The number of the span; 0 is the run itself. Steps of models have negative numbers. */
  readonly id: number
  readonly depth: number
  readonly name: string
  readonly startedAt: number
  /** The end time. For a span that has not ended, it is the end of the run. */
  readonly endedAt: number
  readonly isOver: boolean
  readonly hasFailed: boolean
  readonly logs: readonly RunLog[]
  /** The span, or null for the run itself and steps. */
  readonly span: RunSpan | null
  /** The step of a model, or null for the run itself and spans. */
  readonly step: RunModelStep | null
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
      step: null,
    },
  ]
  const children = new Map<number, TraceRow[]>()
  const all = [...run.models.map(toStepRow), ...run.spans.map(toSpanRow)]
  for (const [parent, row] of all.toSorted(([, a], [, b]) => a.startedAt - b.startedAt || a.id - b.id))
    children.set(parent, [...(children.get(parent) ?? []), row])
  add(0, 1)
  return rows

  function add(parent: number, depth: number): void {
    for (const row of children.get(parent) ?? []) {
      rows.push({ ...row, depth })
      add(row.id, depth + 1)
    }
  }

  /** Returns the row with the id of its parent: the step of the model that called the span as a tool, or its caller. */
  function toSpanRow(span: RunSpan): [number, TraceRow] {
    const { id, parentId, route, startedAt, endedAt, error, toolCallId } = span
    const caller = run.models.findIndex(
      ({ spanId, toolCalls }) => spanId === parentId && toolCalls.some((call) => call.id === toolCallId),
    )
    const logs = run.logs.filter(({ spanId }) => spanId === id)
    const times = { startedAt, endedAt: endedAt ?? end, isOver: endedAt !== null }
    const row = { id, depth: 0, name: route, ...times, hasFailed: error !== null, logs, span, step: null }
    return [caller === -1 ? parentId : -1 - caller, row]
  }

  function toStepRow(step: RunModelStep, index: number): [number, TraceRow] {
    const { spanId, model, startedAt, endedAt, finishReason } = step
    const times = { startedAt, endedAt: endedAt ?? end, isOver: endedAt !== null }
    const hasFailed = finishReason === 'error'
    return [spanId, { id: -1 - index, depth: 0, name: model, ...times, hasFailed, logs: [], span: null, step }]
  }
}

/** Returns the tokens of all model calls of a run, or null if it has called no model. */
export function sumTokens({ models }: Run): RunTokens | null {
  if (models.length === 0) return null
  const sum = (name: keyof RunTokens): number => models.reduce((all, { tokens }) => all + (tokens?.[name] ?? 0), 0)
  return { input: sum('input'), cached: sum('cached'), output: sum('output'), reasoning: sum('reasoning') }
}

/** Returns the end of a run's trace, in ms. */
export function traceEnd({ ms, spans, models, logs, pieces }: Run): number {
  const moments = [
    ms ?? 0,
    pieces.at(-1)?.at ?? 0,
    logs.at(-1)?.at ?? 0,
    ...[...spans, ...models].map(({ startedAt, endedAt }) => endedAt ?? startedAt),
  ]
  return moments.reduce((most, moment) => Math.max(most, moment), 1)
}

/** Converts a time to a CSS percentage of the trace. */
export function toPercent(moment: number, end: number): string {
  return `${Math.round((moment / end) * 10_000) / 100}%`
}
