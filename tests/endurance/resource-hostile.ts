import type { Page } from '@sdk/protocol'
import { must, send } from './resource-client.ts'

/** A request that attempts SQL injection into a resource, and the responses that it may get. */
export interface Hostile {
  readonly line: string
  readonly allowed: readonly number[]
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

const PATH = '/api/v1/items'
/** None of these may cause a 5xx. */
const HARMLESS = [200, 400, 404]
const PARAMETERS = [
  ...'limit|cursor|sort|count|fields|expand|q|id|createdAt'.split('|'),
  ...'title|priority|score|dueAt|dueDate|isDone'.split('|'),
  ...'title[ne]|title[in]|title[gt]|priority[gte]|priority[in]|dueAt[lt]|dueDate[lte]|isDone[ne]'.split('|'),
]
const HEADERS = ['if-none-match', 'if-modified-since', 'x-request-id', 'authorization', 'cookie', 'accept-language']

/** Uses a string in every parameter, id and header of a resource. */
export function inEveryPlace(text: string): Hostile[] {
  const safe = encodeURIComponent(text)
  const get = (rest: string): Hostile => ({ line: `GET ${PATH}${rest}`, allowed: HARMLESS })
  return [
    ...PARAMETERS.map((name) => get(`?${encodeURIComponent(name)}=${safe}`)),
    ...['', 'title', 'title[', '-'].map((start) => get(`?${encodeURIComponent(start)}${safe}=1`)),
    get(`?${encodeURIComponent(`title[${text}]`)}=1`),
    get(`?sort=title,${safe}`),
    get(`?sort=-${safe}`),
    get(`?title[in]=${safe},${safe}`),
    get(`/${safe}`),
    get(`/1${safe}`),
    ...['DELETE', 'PUT', 'PATCH'].map((method) => ({
      line: `${method} ${PATH}/1${safe}`,
      allowed: [400, 404],
      ...(method !== 'DELETE' && { body: { title: 'gone' } }),
    })),
    { line: `GET /api/v1/${safe}`, allowed: [404] },
    ...HEADERS.map((name) => ({ ...get('/1'), headers: { [name]: text } })),
    { line: `DELETE ${PATH}/1`, allowed: [400, 412], headers: { 'if-match': text } },
    { line: `DELETE ${PATH}/1`, allowed: [400, 412], headers: { 'if-match': `"${text.replaceAll('"', '')}"` } },
    // An invalid body: whatever the key is, nothing may be stored.
    { line: `POST ${PATH}`, allowed: [400], body: { title: 1 }, headers: { 'idempotency-key': text } },
    { line: `POST ${PATH}`, allowed: [400], body: { title: 'x', [text]: text } },
    { line: `PATCH ${PATH}/1`, allowed: [400], body: { priority: text } },
    { line: `PATCH ${PATH}/1`, allowed: [400], body: { dueAt: text } },
  ]
}

/** Values that PostgreSQL reads as a number or a time, and we do not; and numbers at the limits. */
const SPECIAL = [
  ...'NaN|Infinity|-Infinity|inf|1e400|1e-400|1e308|9007199254740992|-9007199254740992'.split('|'),
  ...'9223372036854775808|1.5|1e2|0x1f|0b1|1_000|| | 1|1 |+1|٣|٣e٣|.5|5.'.split('|'),
  ...'infinity|-infinity|now|today|tomorrow|epoch|allballs|2024-02-30|2024-13-01|0000-01-01'.split('|'),
  ...'2024-01-01T24:00:00Z|2024-01-01T00:00:60Z|2024-01-01 00:00:00Z|2024-01-01T00:00:00+99:99|4713-01-01 BC'.split(
    '|',
  ),
  ...'2024-01-01|20240101|2024-001|10000-01-01|t|f|yes|no|on|1|0|TRUE|%00|\u0000'.split('|'),
]

/** Filters on fields of every type with nearly valid values. */
export function specialFilters(): Hostile[] {
  return SPECIAL.flatMap((text) =>
    ['priority', 'score', 'dueAt', 'dueDate', 'isDone', 'title'].flatMap((field) =>
      ['', '[gt]', '[in]'].map((operator) => ({
        line: `GET ${PATH}?${field}${operator}=${encodeURIComponent(text)}`,
        allowed: [200, 400],
      })),
    ),
  )
}

/** Cursors of every sort order that were decoded, modified and encoded again. */
export async function forgedCursors(base: string): Promise<Hostile[]> {
  const values = ["' or 1=1--", '1); drop table items', ...SPECIAL, null, true, 0, -1, 1.5, 1e308, 2 ** 63, [], {}, [1]]
  const forged = await Promise.all(['id', '-title', 'dueAt,-priority'].map((sort) => forge(base, sort, values)))
  return forged.flat()
}

async function forge(base: string, sort: string, values: readonly unknown[]): Promise<Hostile[]> {
  const list = `${PATH}?limit=2&sort=${sort}`
  const page = await must(200, send<Page<unknown>>(base, `GET ${list}`))
  const real = page.pagination.nextCursor
  if (real === null) throw new Error('a list of one page has no cursor to forge')
  const [name, side, after] = JSON.parse(Buffer.from(real, 'base64url').toString()) as [string, number, unknown[]]
  const close = (...parts: unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url')
  // Otherwise all would be rejected for the wrong reason.
  await must(200, send(base, `GET ${list}&cursor=${close(name, side, after)}`))
  const cursors = values.flatMap((value) => [
    ...after.map((_, at) => close(name, side, after.with(at, value))),
    ...after.map((_, at) => close(name, -side, after.with(at, value))),
    close(name, side, [...after, value]),
    close(name, side, value),
    close(name, value, after),
    close(value, side, after),
  ])
  return [...cursors, close(name, side, []), close(), close(name)].map((cursor) => ({
    line: `GET ${list}&cursor=${cursor}`,
    allowed: [200, 400],
  }))
}
