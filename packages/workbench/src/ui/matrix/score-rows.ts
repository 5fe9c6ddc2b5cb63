import type { MatrixCell, MatrixResult } from '../../api.ts'
import { isEqualJson } from '../compare/fingerprint.ts'

/** The calls with one input, by variant. */
export interface ScoreRow {
  readonly row: number
  /** The input without the fields that differ between the variants. */
  readonly input: unknown
  readonly cells: readonly ScoreCell[]
}

/** A call, and the call with the same input and variant in an earlier result. */
export interface ScoreCell extends MatrixCell {
  readonly before: MatrixCell | null
  /** The difference from the earlier score, or null if there is none. */
  readonly change: number | null
  /** Whether the output differs from the earlier one. */
  readonly isOther: boolean
}

/** Groups the calls of a result by input, and compares each with an earlier result. */
export function toScoreRows(result: MatrixResult, earlier: MatrixResult | undefined): ScoreRow[] {
  const rows = new Map<number, ScoreCell[]>()
  for (const cell of result.cells) {
    const before =
      earlier?.cells.find((one) => one.variant === cell.variant && isEqualJson(one.input, cell.input)) ?? null
    const change = before === null ? null : cell.score - before.score
    const isOther = before !== null && !isEqualJson(before.output, cell.output)
    rows.set(cell.row, [...(rows.get(cell.row) ?? []), { ...cell, before, change, isOther }])
  }
  return Array.from(rows, ([row, cells]) => ({ row, cells, input: commonInput(cells) }))
}

function commonInput(cells: readonly ScoreCell[]): unknown {
  const [first, ...others] = cells.map(({ input }) => input)
  if (typeof first !== 'object' || first === null || Array.isArray(first)) return first
  const isCommon = (name: string, value: unknown): boolean =>
    others.every((other) => isEqualJson((other as Record<string, unknown>)[name], value))
  return Object.fromEntries(Object.entries(first).filter(([name, value]) => isCommon(name, value)))
}

/** Formats a score with at most three decimals. */
export function toScoreText(score: number): string {
  return String(Math.round(score * 1000) / 1000)
}

/** Formats the difference between two scores, with its sign. */
export function toChangeText(change: number | null): string {
  if (change === null) return ''
  const text = toScoreText(Math.abs(change))
  return text === '0' ? '=' : `${change < 0 ? '−' : '+'}${text}`
}
