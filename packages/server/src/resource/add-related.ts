import type {
  ListQuery,
  ListResult,
  RelatedQuery,
  RelatedValue,
  Row,
  Scalar,
  Store,
  StoreWith,
} from '../define/store.ts'
import { cutRows, estimateBytes } from './row-bytes.ts'

/** The relations that a request expands. */
export interface RelatedQueries {
  /** The queries for the related rows that the caller may see. */
  readonly queries: readonly RelatedQuery[]
  /** The maximum total size of the rows related to one row, in bytes. */
  readonly rowBytes: number
}

/** The maximum number of related rows that one list query reads for a page. */
const MAX_LIST = 2_000

interface SplitQueries {
  readonly apart: readonly RelatedQuery[]
  /** The part of the list query that contains the relations the store reads itself. */
  readonly related: Pick<ListQuery, 'related'>
}

/** Divides relations into those that a store reads with its own rows, and those that need separate list queries. */
export function splitQueries(store: Store, queries: readonly RelatedQuery[]): SplitQueries {
  const isTogether = (query: RelatedQuery): boolean => store.canRelate?.(query.store) === true
  const together = queries.filter(isTogether)
  const apart = queries.filter((query) => !isTogether(query))
  return { apart, related: together.length === 0 ? {} : { related: together } }
}

/** Limits on a page with related rows. The first row is included even if it exceeds `maxBytes`. */
interface PageLimits {
  readonly limit: number
  readonly maxBytes: number
}

/**
 * Adds the values of relations to the rows of a page, with one list query per relation. Works with every store. The
 * page ends early if its rows and related rows exceed `maxBytes`.
 */
export async function addRelated(
  result: ListResult,
  queries: readonly RelatedQuery[],
  { limit, maxBytes }: PageLimits,
): Promise<ListResult> {
  if (queries.length === 0) return result
  let rows = result.rows
    .slice(0, limit)
    .map((row) => ({ row, related: { ...row['~related'] }, bytes: wholeBytesOf(row) }))
  const { length } = rows
  for (const query of queries) {
    const read = await createReader(
      query,
      rows.map(({ row }) => row),
      maxBytes,
    )
    let total = 0
    for (const [at, one] of rows.entries()) {
      const value = await read(one.row)
      total += one.bytes += relatedBytesOf(value)
      if (total > maxBytes && at > 0) {
        rows = rows.slice(0, at)
        break
      }
      one.related[query.name] = value
    }
  }
  const filled = rows.map(({ row, related }) => ({ ...row, '~related': related }))
  if (filled.length < length) return { ...result, rows: filled, isCut: true }
  return { ...result, rows: [...filled, ...result.rows.slice(limit)] }
}

/**
 * Reads the related rows of all rows with one list query, and returns a function that looks up the value for one row.
 * If the list is incomplete, that function reads the missing rows.
 */
async function createReader(
  query: RelatedQuery,
  rows: readonly Row[],
  maxBytes: number,
): Promise<(row: Row) => Promise<RelatedValue>> {
  const { store, kind, key, field, where, sort, limit } = query
  const { list } = store as StoreWith<'list'>
  const basis = { after: null, where, sort, isCounted: false, maxBytes }
  const keys = [...new Set(rows.map((row) => row[key] as Scalar | null).filter((value) => value !== null))]
  const most = Math.min(keys.length * limit, MAX_LIST)
  const conditions = [{ field, operator: 'in', value: keys } as const]
  const first = keys.length === 0 ? { rows: [] } : await list.call(store, { ...basis, conditions, limit: most + 1 })
  const isComplete = first.isCut !== true && first.rows.length <= most
  const groups = new Map(keys.map((value) => [value, [] as Row[]]))
  for (const row of first.rows) groups.get(row[field] as Scalar)?.push(row)

  return async (row) => {
    const value = row[key] as Scalar
    const group = groups.get(value) ?? []
    if (isComplete || group.length >= limit || !groups.has(value)) return toValue(query, { rows: group }, maxBytes)
    const isCounted = kind === 'count'
    const own = [{ field, operator: 'eq', value } as const]
    const found = await list.call(store, { ...basis, conditions: own, isCounted, limit: isCounted ? 1 : limit })
    return toValue(query, found, maxBytes)
  }
}

function toValue({ kind, limit }: RelatedQuery, found: ListResult, maxBytes: number): RelatedValue {
  if (kind === 'count') return Math.min(found.total ?? found.rows.length, limit)
  if (kind === 'exists') return found.rows.length > 0
  if (kind === 'one') return found.rows[0] ?? null
  return cutRows({ rows: found.rows.slice(0, limit) }, limit, maxBytes).rows
}

/** Returns the total size of a row and the related rows that were read with it. */
function wholeBytesOf({ '~related': related = {}, ...row }: Row): number {
  return Object.values(related).reduce<number>((sum, value) => sum + relatedBytesOf(value), estimateBytes(row))
}

function relatedBytesOf(value: RelatedValue): number {
  if (typeof value !== 'object' || value === null) return 0
  return 'id' in value ? estimateBytes(value) : value.reduce((sum, row) => sum + estimateBytes(row), 0)
}
