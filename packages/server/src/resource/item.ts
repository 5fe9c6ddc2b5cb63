import type { Reply } from '../http/call.ts'
import { MEDIA_TYPE } from '../http/media-type.ts'
import type { Resource } from '../resource.ts'
import type { ToEtag } from './etag.ts'
import type { Row } from './store.ts'

/** A row as callers see it: the declared fields, and what every resource has. */
export type ToItem = (row: Row) => Record<string, unknown>

/** Shows rows. What only access rules know stays inside. */
export function createItems({ shape }: Pick<Resource, 'shape'>): ToItem {
  const names = shape.fields.map(({ name }) => name)
  return (row) => {
    const item: Record<string, unknown> = { id: row.id }
    for (const name of names) item[name] = row[name] ?? null
    item['createdAt'] = row.createdAt
    item['updatedAt'] = row.updatedAt
    return item
  }
}

/** An answer of JSON. */
export function jsonReply(status: number, value: unknown, headers: Reply['headers'] = {}): Reply {
  return { status, headers: { 'content-type': MEDIA_TYPE.json, ...headers }, body: JSON.stringify(value) }
}

/** The headers that tell of a row's state. */
export function stateOf(row: Row, toEtag: ToEtag): { etag: string; 'last-modified': string } {
  return { etag: toEtag(row), 'last-modified': new Date(row.updatedAt).toUTCString() }
}

/** The answer to who has it already. */
export function notModified(headers: Reply['headers']): Reply {
  return { status: 304, headers, body: null }
}
