import type { Page } from '@sdk/protocol'
import type { Random } from '../endurance/random.ts'
import { TASKS, USERS } from './world.ts'

/** A live request of a user. */
export interface ListRequest {
  readonly user: string
  readonly route: string
  readonly params?: Record<string, number>
  readonly query: Record<string, string>
}

const SORTS = [
  'id',
  '-id',
  'title',
  '-title',
  'priority,-score',
  '-done,title',
  'dueAt',
  '-dueAt,day',
  '-day',
  'score',
  '-createdAt',
  'updatedAt,-priority',
]

const FILTERS: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { done: 'true' },
  { 'done[ne]': 'true' },
  { 'priority[gte]': '1' },
  { 'priority[in]': '0,2,3' },
  { 'score[null]': 'true' },
  { 'score[lt]': '0.1', done: 'false' },
  { 'title[gt]': 'a', 'title[lte]': 'é' },
  { 'dueAt[gte]': '2026-05-06T07:08:09.124Z' },
  { 'day[ne]': '2026-01-31' },
  { teamId: '2' },
  { 'teamId[in]': '1,3' },
  { 'createdAt[gt]': '2026-01-01T00:00:01Z', 'teamId[null]': 'false' },
]

/** Returns a random request: mostly lists, with any filter, sort, limit and cursor, and sometimes a row. */
export async function toRandomList(url: string, random: Random): Promise<ListRequest> {
  const user = random.pick(USERS)
  if (random.below(8) === 0) {
    const id = 1 + random.below(60)
    return { user, route: `GET ${TASKS}/:id`, params: { id }, query: {} }
  }
  const query: Record<string, string> = { ...random.pick(FILTERS), sort: random.pick(SORTS) }
  if (random.below(5) > 0) query['limit'] = String(1 + random.below(12))
  if (random.below(20) === 0) query['count'] = 'true'
  const request = { user, route: `GET ${TASKS}`, query }
  if (random.below(3) > 0) return request
  const { body } = await read(url, request)
  const { pagination } = (body ?? {}) as Partial<Page<unknown>>
  const next = pagination?.nextCursor ?? null
  if (next === null) return request
  if (random.below(3) > 0) return { ...request, query: { ...query, cursor: next } }
  const second = (await read(url, { ...request, query: { ...query, cursor: next } })).body as Page<unknown>
  const cursor = second.pagination.prevCursor
  return cursor === null ? request : { ...request, query: { ...query, cursor } }
}

/** Returns what GET responds with: the body of a success, or the status of an error. */
export async function read(
  url: string,
  { user, route, params = {}, query }: ListRequest,
): Promise<{ body: unknown; status: number | null }> {
  const path = route.slice('GET '.length).replaceAll(/:(\w+)/g, (_, name: string) => String(params[name]))
  const response = await fetch(`${url}${path}?${new URLSearchParams(query).toString()}`, {
    headers: { authorization: `Bearer ${user}` },
  })
  const body: unknown = await response.json()
  return response.ok ? { body, status: null } : { body: undefined, status: response.status }
}
