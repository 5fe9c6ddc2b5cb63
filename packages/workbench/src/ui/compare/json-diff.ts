import { isJsonObject } from '../form/json-schema.ts'
import { align, createBudget, type Budget } from './align.ts'
import { createFingerprints, MAX_COMPARE_DEPTH, type Fingerprints } from './fingerprint.ts'

/** The difference between two JSON values. */
export type Diff =
  | { readonly kind: 'same'; readonly value: unknown }
  | { readonly kind: 'added'; readonly value: unknown }
  | { readonly kind: 'removed'; readonly value: unknown }
  | { readonly kind: 'changed'; readonly before: unknown; readonly after: unknown }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [name: string, diff: Diff])[] }
  | { readonly kind: 'array'; readonly items: readonly Diff[] }

/** Finds the differences between `a` and `b`. Fields are paired by name, and array items by equal content. */
export function diffJson(a: unknown, b: unknown): Diff {
  return diffValues(a, b, { fingerprints: createFingerprints(), budget: createBudget(), depth: 0 })
}

/** Applies a diff to `a` and returns `b`. */
export function applyDiff(a: unknown, diff: Diff): unknown {
  if (diff.kind === 'same') return a
  if (diff.kind === 'added') return diff.value
  if (diff.kind === 'changed') return diff.after
  if (diff.kind === 'removed') return undefined
  return diff.kind === 'array' ? applyItems(a as unknown[], diff.items) : applyEntries(a as object, diff.entries)
}

/** Counts the values that were added, removed or changed. */
export function countChanges(diff: Diff): number {
  if (diff.kind === 'same') return 0
  if (diff.kind === 'array') return diff.items.reduce((sum, item) => sum + countChanges(item), 0)
  if (diff.kind === 'object') return diff.entries.reduce((sum, [, inner]) => sum + countChanges(inner), 0)
  return 1
}

type DiffScope = { fingerprints: Fingerprints; budget: Budget; depth: number }

function diffValues(a: unknown, b: unknown, scope: DiffScope): Diff {
  if (scope.fingerprints.isEqual(a, b)) return { kind: 'same', value: a }
  const inside = { ...scope, depth: scope.depth + 1 }
  if (inside.depth <= MAX_COMPARE_DEPTH && Array.isArray(a) && Array.isArray(b)) return diffItems(a, b, inside)
  if (inside.depth <= MAX_COMPARE_DEPTH && isJsonObject(a) && isJsonObject(b)) return diffFields(a, b, inside)
  return { kind: 'changed', before: a, after: b }
}

function diffItems(a: readonly unknown[], b: readonly unknown[], place: DiffScope): Diff {
  const keys = (items: readonly unknown[]): number[] => items.map((item) => place.fingerprints.of(item))
  const items: Diff[] = []
  // Unpaired items between two pairs are probably changed items, so they are paired in order.
  let lost: number[] = []
  let found: number[] = []
  const settle = (): void => {
    const both = Math.min(lost.length, found.length)
    for (let at = 0; at < both; at++) items.push(diffValues(a[lost[at] ?? 0], b[found[at] ?? 0], place))
    items.push(...lost.slice(both).map((at): Diff => ({ kind: 'removed', value: a[at] })))
    items.push(...found.slice(both).map((at): Diff => ({ kind: 'added', value: b[at] })))
    lost = []
    found = []
  }
  for (const [i, j] of align(keys(a), keys(b), place.budget)) {
    if (i !== null && j !== null) {
      settle()
      items.push(diffValues(a[i], b[j], place))
    } else if (i !== null) lost.push(i)
    else if (j !== null) found.push(j)
  }
  settle()
  return { kind: 'array', items }
}

function diffFields(a: Record<string, unknown>, b: Record<string, unknown>, place: DiffScope): Diff {
  const before = Object.entries(a).map(([name, value]): readonly [string, Diff] =>
    Object.hasOwn(b, name) ? [name, diffValues(value, b[name], place)] : [name, { kind: 'removed', value }],
  )
  const added = Object.entries(b)
    .filter(([name]) => !Object.hasOwn(a, name))
    .map(([name, value]): readonly [string, Diff] => [name, { kind: 'added', value }])
  return { kind: 'object', entries: [...before, ...added] }
}

function applyItems(a: readonly unknown[], items: readonly Diff[]): unknown[] {
  let at = 0
  return items.flatMap((item) => {
    const value = applyDiff(item.kind === 'added' ? undefined : a[at++], item)
    return item.kind === 'removed' ? [] : [value]
  })
}

function applyEntries(a: object, entries: readonly (readonly [name: string, diff: Diff])[]): object {
  const fields = new Map(Object.entries(a))
  const kept = entries.filter(([, { kind }]) => kind !== 'removed')
  return Object.fromEntries(kept.map(([name, diff]) => [name, applyDiff(fields.get(name), diff)]))
}
