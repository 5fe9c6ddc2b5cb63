import { align } from './align.ts'
import { diffJson, type Diff } from './json-diff.ts'

/** A row in a diff. An `open` row stands for an array or object that contains changes, and has no values. */
export interface DiffRow {
  readonly kind: 'same' | 'added' | 'removed' | 'changed' | 'open'
  /** A JSON Pointer into `b`, or into `a` if the value was removed. For text, the line number. */
  readonly pointer: string
  readonly name: string
  readonly depth: number
  /** The old value, or undefined if the value was added. */
  readonly before?: unknown
  /** The new value, or undefined if the value was removed. */
  readonly after?: unknown
}

/** A value to compare: JSON or text. */
export type Comparable =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }

/** Compares two values and returns the rows of the diff: by structure if both are JSON, otherwise line by line. */
export function compareRows(a: Comparable, b: Comparable): DiffRow[] {
  if (a.kind === 'json' && b.kind === 'json') return toDiffRows(diffJson(a.value, b.value))
  return textRows(asText(a), asText(b))
}

/** Converts a diff to rows, from top to bottom: an array or object with changes is followed by its content. */
export function toDiffRows(diff: Diff): DiffRow[] {
  const rows: DiffRow[] = []
  add(diff, { pointer: '', name: '', depth: 0 })
  return rows

  function add(inner: Diff, place: Pick<DiffRow, 'pointer' | 'name' | 'depth'>): void {
    if (inner.kind === 'array' || inner.kind === 'object') {
      rows.push({ kind: 'open', ...place })
      for (const [name, child] of childrenOf(inner)) {
        add(child, { pointer: `${place.pointer}/${escape(name)}`, name, depth: place.depth + 1 })
      }
    } else rows.push({ ...place, ...valuesOf(inner) })
  }
}

/** Returns only the rows for values that were added, removed or changed. */
export function onlyChanges(rows: readonly DiffRow[]): DiffRow[] {
  return rows.filter(({ kind }) => kind !== 'same' && kind !== 'open')
}

function childrenOf(diff: Extract<Diff, { kind: 'array' | 'object' }>): (readonly [name: string, diff: Diff])[] {
  if (diff.kind === 'object') return [...diff.entries]
  let [inA, inB] = [0, 0]
  return diff.items.map((item) => {
    const place = item.kind === 'removed' ? inA : inB
    if (item.kind !== 'added') inA++
    if (item.kind !== 'removed') inB++
    return [String(place), item] as const
  })
}

function valuesOf(diff: Exclude<Diff, { kind: 'array' | 'object' }>): Pick<DiffRow, 'kind' | 'before' | 'after'> {
  const { kind } = diff
  if (kind === 'same') return { kind, before: diff.value, after: diff.value }
  if (kind === 'added') return { kind, after: diff.value }
  return kind === 'removed' ? { kind, before: diff.value } : { kind, before: diff.before, after: diff.after }
}

function escape(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function asText(value: Comparable): string {
  return value.kind === 'text' ? value.text : (JSON.stringify(value.value, null, 2) ?? '')
}

function textRows(a: string, b: string): DiffRow[] {
  const [linesA, linesB] = [a.split('\n'), b.split('\n')]
  return align(linesA, linesB).map(([i, j]) => {
    const before = i === null ? undefined : linesA[i]
    const after = j === null ? undefined : linesB[j]
    const kind = i === null ? 'added' : j === null ? 'removed' : before === after ? 'same' : 'changed'
    return { kind, pointer: `${(j ?? i ?? 0) + 1}`, name: `${(j ?? i ?? 0) + 1}`, depth: 0, before, after }
  })
}
