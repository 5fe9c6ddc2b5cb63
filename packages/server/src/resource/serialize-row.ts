import type { Reply } from '../http/reply.ts'
import { MEDIA_TYPE } from '../http/media-type.ts'
import type { Resource } from '../define/resource.ts'
import { toSecond, type ToEtag } from './etag.ts'
import type { Row } from '../define/store.ts'

/** Creates a mapper from rows to items. Items omit fields that are used only by access rules. */
export function createItemMapper({ shape }: Pick<Resource, 'shape'>): (row: Row) => Record<string, unknown> {
  const names = shape.fields.map(({ name }) => name)
  return (row) => {
    const item: Record<string, unknown> = { id: row.id }
    for (const name of names) item[name] = row[name] ?? null
    item['createdAt'] = row.createdAt
    item['updatedAt'] = row.updatedAt
    return item
  }
}

/** Creates a row serializer. The members are known in advance, so it takes half the time of `JSON.stringify`. */
export function createRowSerializer({ shape }: Pick<Resource, 'shape'>): (row: Row) => string {
  const members = shape.fields.map(({ name }) => ({ name, head: `,"${name}":` }))
  return (row) => {
    let text = `{"id":${row.id}`
    for (const { name, head } of members) text += head + toJsonText(row[name])
    return `${text},"createdAt":${toJsonText(row.createdAt)},"updatedAt":${toJsonText(row.updatedAt)}}`
  }
}

const PLAIN_TEXT = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

function toJsonText(value: unknown): string {
  if (typeof value === 'string' && PLAIN_TEXT.test(value)) return `"${value}"`
  if (typeof value === 'boolean' || Number.isFinite(value)) return String(value)
  return value === null ? 'null' : (JSON.stringify(value) ?? 'null')
}

/** Creates a JSON reply. */
export function rowReply(status: number, text: string, headers: Reply['headers'] = {}): Reply {
  return { status, headers: { 'content-type': MEDIA_TYPE.json, ...headers }, body: text }
}

/** Serializes only the id, for a caller that may not read the row. */
export function serializeId({ id }: Row): string {
  return `{"id":${id}}`
}

/**
 * Returns a row's `ETag` and `Last-Modified` headers. `Last-Modified` is omitted until the second of the last change
 * has passed, because another change within that second would have the same date.
 */
export function stateHeaders(row: Row, toEtag: ToEtag): { etag: string; 'last-modified'?: string } {
  const etag = toEtag(row)
  const second = toSecond(row.updatedAt)
  return second + 1_000 > Date.now() ? { etag } : { etag, 'last-modified': new Date(second).toUTCString() }
}

/** Creates a 304 reply. */
export function notModified(headers: Reply['headers']): Reply {
  return { status: 304, headers, body: null }
}
