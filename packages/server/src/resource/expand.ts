import type { ValueIssue } from './field-value.ts'

/** The maximum number of names in `expand`. */
export const MAX_EXPAND = 5

/** Parses the `expand` parameter: comma-separated names of relations and computed values. */
export function parseExpand(
  text: string | undefined,
  allowed: readonly string[],
  report: (issue: ValueIssue & Readonly<Record<string, unknown>>) => void,
): string[] {
  if (text === undefined || text === '' || allowed.length === 0) return []
  const names = text.split(',', MAX_EXPAND + 1)
  if (names.length > MAX_EXPAND)
    report({ code: 'TOO_LONG', message: `must have at most ${MAX_EXPAND} names`, max: MAX_EXPAND })
  else if (names.some((name) => !allowed.includes(name)))
    report({ code: 'INVALID_VALUE', message: `must contain only ${allowed.join(', ')}`, allowed })
  else if (new Set(names).size < names.length) report({ code: 'INVALID_VALUE', message: 'contains duplicate names' })
  return names
}
