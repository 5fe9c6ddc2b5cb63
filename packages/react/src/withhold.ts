import type { Page } from '@sdk/protocol'
import type { Layers } from './optimistic.ts'
import type { CachedPages } from './pages.ts'

interface Row {
  readonly id: unknown
}

/**
 * Returns newer data without the effects of requests in progress, which it may already contain: otherwise, a new row
 * would be shown twice, and a toggled field would be toggled back. Rows that optimistic changes affect are as before. If
 * the changes add rows, other new rows are left out, since one of them may be the same row. Data in other formats than
 * pages is as before.
 */
export function withhold(data: unknown, { base, changes }: Pick<Layers, 'base' | 'changes'>): unknown {
  const changed = [...changes].reduce<unknown>((shown, change) => change(shown), base)
  const [old, shown, next] = [base, changed, data].map(toRows)
  if (!old || !shown || !next) return base
  const isGrown = [...shown.keys()].some((id) => !old.has(id))
  const toPage = (page: unknown): unknown => ({
    ...(page as Page<Row>),
    data: (page as Page<Row>).data
      .filter(({ id }) => old.has(id) || !isGrown)
      .map((row) => (shown.get(row.id) === old.get(row.id) ? row : old.get(row.id))),
  })
  const { pages } = data as CachedPages
  const { pages: known } = base as CachedPages
  // Pages that were fetched in the meantime are shown.
  const all = pages?.map((page, index) => (known[index] ? toPage(page) : page))
  return all ? { ...(data as CachedPages), pages: all } : toPage(data)
}

/** Returns the rows of a page or of several pages by their ids, or undefined if the data has another format. */
function toRows(data: unknown): Map<unknown, Row> | undefined {
  const pages = (data as CachedPages | null)?.pages ?? [data]
  const rows = pages.flatMap((page) => {
    const items = (page as Page<Partial<Row> | null> | null)?.data
    return Array.isArray(items) ? items : [null]
  })
  return rows.every((row): row is Row => row?.id !== undefined) ? new Map(rows.map((row) => [row.id, row])) : undefined
}
