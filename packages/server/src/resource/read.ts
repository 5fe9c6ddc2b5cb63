import type { Reply } from '../http/reply.ts'
import { httpError } from '../http/http-error.ts'
import { changed, isFresh, isMatched, parsePreconditions } from './etag.ts'
import { rowReply, notModified, stateHeaders } from './serialize-row.ts'
import { readPage, serializePage, toLinks } from './page.ts'
import type { ResourceRequest, ResourceRuntime } from './resource-runtime.ts'
import type { Row, StoreWith, Target } from '../define/store.ts'

/** Handles `GET` requests for the list. */
export async function listRows(
  store: StoreWith<'list'>,
  { resource, path, parseListQuery, serializeRow, toListEtag }: ResourceRuntime,
  { ctx, tools, where }: ResourceRequest,
): Promise<Reply> {
  const query = ctx.query as Record<string, string>
  const request = parseListQuery(query)
  const conditions = parsePreconditions(ctx.incoming)
  const page = await readPage(store, request, { shape: resource.shape, where, maxBytes: tools.limits.page })
  const links = toLinks(path, query, page.pagination)
  const headers = { etag: toListEtag(page), ...(links !== null && { link: links }) }
  if (!isMatched(headers, conditions)) throw changed(headers.etag)
  if (isFresh(headers, conditions)) return notModified(headers)
  return rowReply(200, serializePage(page, serializeRow), headers)
}

/** Handles `GET` requests for a row. */
export async function getRow(
  store: StoreWith<'get'>,
  { serializeRow, toEtag }: ResourceRuntime,
  { ctx, where }: ResourceRequest,
): Promise<Reply> {
  const row = await findRow(store, { id: rowIdOf(ctx), where })
  const conditions = parsePreconditions(ctx.incoming)
  const headers = stateHeaders(row, toEtag)
  const state = { etag: headers.etag, updatedAt: row.updatedAt }
  if (!isMatched(state, conditions)) throw changed(state.etag)
  return isFresh(state, conditions) ? notModified(headers) : rowReply(200, serializeRow(row), headers)
}

/** Returns the row. Throws 404 if it does not exist or the caller cannot access it. */
export async function findRow(store: StoreWith<'get'>, target: Target): Promise<Row> {
  return (await store.get(target)) ?? rowNotFound()
}

/** Throws 404 for a row that does not exist or that the caller cannot access. */
export function rowNotFound(): never {
  throw httpError('NOT_FOUND', 'not found')
}

/** Returns the row id from the path. */
export function rowIdOf({ params }: ResourceRequest['ctx']): number {
  return (params as { id: number }).id
}
