import type { InspectedAttempt, InspectedStep, RunInspection } from '../../api.ts'

/** A row in the waterfall: the beginning of an attempt, or a step. */
export type WaterfallRow =
  | { readonly kind: 'attempt'; readonly attempt: InspectedAttempt }
  | {
      readonly kind: 'step'
      /** The step, or null for the work that has not finished a step yet. */
      readonly step: InspectedStep | null
      readonly startedAt: number
      /** The end, or the current time if the step has not ended. */
      readonly endedAt: number
      readonly isOpen: boolean
    }

/** The steps of a run on a time axis. */
export interface Waterfall {
  readonly rows: readonly WaterfallRow[]
  readonly start: number
  readonly end: number
  /** Converts a time to a percentage of the axis. */
  readonly toPercent: (time: number) => number
  /** Whether pauses are shortened on the axis. */
  readonly isShortened: boolean
}

/** The kinds of steps during which a run does nothing. */
const PAUSES: ReadonlySet<string> = new Set(['sleep', 'wait'])

/** The maximum share of a pause on the axis, relative to the total time of all other steps. */
const PAUSE_SHARE = 0.2

/** Places the steps of a run on a time axis. `now` is the current time. */
export function toWaterfall({ run, steps, attempts }: RunInspection, now: number): Waterfall {
  const start = Date.parse(run.createdAt)
  const last = Math.max(start + 1, ...steps.map(({ startedAt }) => Date.parse(startedAt)))
  const end = Math.max(last, run.endedAt === null ? now : Date.parse(run.endedAt))
  const rows: WaterfallRow[] = []
  for (const attempt of attempts) {
    rows.push({ kind: 'attempt', attempt })
    rows.push(...steps.filter(({ epoch }) => epoch === attempt.epoch).map((step) => toStepRow(step, end)))
  }
  if (run.status === 'running') {
    const ends = rows.flatMap((row) => (row.kind === 'step' ? row.endedAt : []))
    rows.push({ kind: 'step', step: null, startedAt: Math.max(start, ...ends), endedAt: end, isOpen: true })
  }
  return { rows, start, end, ...toScale(rows, start, end) }
}

function toStepRow(step: InspectedStep, end: number): Extract<WaterfallRow, { kind: 'step' }> {
  const endedAt = step.endedAt === null ? end : Date.parse(step.endedAt)
  const isOpen = step.endedAt === null || endedAt > end
  return { kind: 'step', step, startedAt: Date.parse(step.startedAt), endedAt: Math.min(end, endedAt), isOpen }
}

/** Creates the scale of the axis. A run can sleep for days between steps of milliseconds, so pauses are shortened. */
function toScale(
  rows: readonly WaterfallRow[],
  start: number,
  end: number,
): Pick<Waterfall, 'toPercent' | 'isShortened'> {
  const changes = new Map([
    [start, 0],
    [end, 0],
  ])
  const change = (time: number, by: number): unknown => changes.set(time, (changes.get(time) ?? 0) + by)
  for (const row of rows) {
    if (row.kind === 'attempt') continue
    const weight = PAUSES.has(row.step?.kind ?? '') ? 0 : 1
    change(row.startedAt, weight)
    change(row.endedAt, -weight)
  }
  const times = [...changes.keys()].toSorted((a, b) => a - b)
  const spans = toSpans(times, changes)
  const work = spans.reduce((sum, { from, to, isWork }) => sum + (isWork ? to - from : 0), 0)
  const limit = work === 0 ? Number.POSITIVE_INFINITY : Math.max(1, work * PAUSE_SHARE)
  let at = 0
  const marks = spans.map(({ from, to, isWork }) => {
    const width = isWork ? to - from : Math.min(to - from, limit)
    at += width
    return { from, to, at: at - width, width }
  })
  const isShortened = marks.some(({ from, to, width }) => width < to - from)
  const toPercent = (time: number): number => {
    const mark = marks.find(({ to }) => time <= to)
    if (mark === undefined || at === 0) return time <= start ? 0 : 100
    const part = Math.max(0, time - mark.from) / (mark.to - mark.from)
    return ((mark.at + part * mark.width) / at) * 100
  }
  return { toPercent, isShortened }
}

function toSpans(times: readonly number[], changes: ReadonlyMap<number, number>) {
  let running = 0
  return times.slice(1).map((to, index) => {
    const from = times[index] ?? to
    running += changes.get(from) ?? 0
    return { from, to, isWork: running > 0 }
  })
}
