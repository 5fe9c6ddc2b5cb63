import type { Reply } from '../http/call.ts'
import { refuse } from '../http/http-error.ts'
import { changed, isFresh, isMatched, parsePreconditions } from './etag.ts'
import { jsonReply, notModified, stateOf } from './serialize-row.ts'
import { readPage, toBody, toLinks } from './page.ts'
import type { ResourceCall, ResourceParts } from './resource-runtime.ts'
import type { Row, StoreWith, Target } from '../define/store.ts'

/** `GET` of the list. */
export async function listRows(
  store: StoreWith<'list'>,
  { resource, path, parseListQuery, toText, toListEtag }: ResourceParts,
  { ctx, where }: ResourceCall,
): Promise<Reply> {
  const query = ctx.query as Record<string, string>
  const request = parseListQuery(query)
  const conditions = parsePreconditions(ctx.source)
  const page = await readPage(store, request, { shape: resource.shape, where })
  const links = toLinks(path, query, page.pagination)
  const headers = { etag: toListEtag(page), ...(links !== null && { link: links }) }
  if (!isMatched(headers.etag, conditions)) throw changed(headers.etag)
  if (isFresh(headers.etag, conditions)) return notModified(headers)
  return jsonReply(200, toBody(page, toText), headers)
}

/** `GET` of one. */
export async function getRow(
  store: StoreWith<'get'>,
  { toText, toEtag }: ResourceParts,
  { ctx, where }: ResourceCall,
): Promise<Reply> {
  const row = await findRow(store, { id: idOf(ctx), where })
  const conditions = parsePreconditions(ctx.source)
  const state = stateOf(row, toEtag)
  if (!isMatched(state.etag, conditions)) throw changed(state.etag)
  return isFresh(state.etag, conditions) ? notModified(state) : jsonReply(200, toText(row), state)
}

/** The row; one that is not there, or not for the caller, is 404. */
export async function findRow(store: StoreWith<'get'>, target: Target): Promise<Row> {
  return (await store.get(target)) ?? missing()
}

/** There is no such row, or the caller may not know of it. */
export function missing(): never {
  throw refuse('NOT_FOUND', 'there is none with this id')
}

/** The id that the path says. */
export function idOf({ params }: ResourceCall['ctx']): number {
  return (params as { id: number }).id
}
