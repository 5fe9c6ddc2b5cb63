import type { Reply } from '../http/reply.ts'
import { httpError, validationError } from '../http/http-error.ts'
import { addRelated, splitQueries } from './add-related.ts'
import { parseExpand } from './expand.ts'
import { prepareExpansion } from './expansion.ts'
import { changed, isFresh, isMatched, parsePreconditions } from './etag.ts'
import { rowReply, notModified, stateHeaders } from './serialize-row.ts'
import { readPage, serializePage, toLinks } from './page.ts'
import type { ResourceRequest, ResourceRuntime } from './resource-runtime.ts'
import type { Row, StoreWith, Target } from '../define/store.ts'

/** Handles `GET` requests for the list. */
export async function listRows(
  store: StoreWith<'list'>,
  runtime: ResourceRuntime,
  { ctx, tools, where }: ResourceRequest,
): Promise<Reply> {
  const { resource, path, parseListQuery, serializeRow, toListEtag } = runtime
  const query = ctx.query as Record<string, string>
  const request = parseListQuery(query)
  const conditions = parsePreconditions(ctx.incoming)
  const { expand } = request
  const expansion = expand.length === 0 ? null : await prepareExpansion(runtime, expand, ctx)
  const rules = { shape: resource.shape, where, maxBytes: tools.limits.page, expansion }
  const page = await readPage(store, request, rules)
  const links = toLinks(path, query, page.pagination)
  const link = links === null ? {} : { link: links }
  const headers = { etag: toListEtag(page), ...link }
  if (!isMatched(headers, conditions)) throw changed(headers.etag)
  // There is no ETag, because the versions of the rows do not cover their related rows.
  if (expansion !== null) return rowReply(200, serializePage(page, await expansion.createSerializer(page.rows)), link)
  if (isFresh(headers, conditions)) return notModified(headers)
  return rowReply(200, serializePage(page, serializeRow), headers)
}

/** Handles `GET` requests for a row. */
export async function getRow(store: StoreWith<'get'>, runtime: ResourceRuntime, call: ResourceRequest): Promise<Reply> {
  const { ctx, where } = call
  const { serializeRow, toEtag } = runtime
  const expand = parseItemExpand(ctx.query as Record<string, string>, runtime.expandable)
  if (expand.length > 0) return getExpandedRow(store, runtime, { ...call, expand })
  const row = await findRow(store, { id: rowIdOf(ctx), where })
  const conditions = parsePreconditions(ctx.incoming)
  const headers = stateHeaders(row, toEtag)
  const state = { etag: headers.etag, updatedAt: row.updatedAt }
  if (!isMatched(state, conditions)) throw changed(state.etag)
  return isFresh(state, conditions) ? notModified(headers) : rowReply(200, serializeRow(row), headers)
}

async function getExpandedRow(
  store: StoreWith<'get'>,
  runtime: ResourceRuntime,
  { ctx, tools, where, expand }: ResourceRequest & { readonly expand: readonly string[] },
): Promise<Reply> {
  const maxBytes = tools.limits.page
  const { queries, createSerializer } = await prepareExpansion(runtime, expand, ctx)
  const { apart, related } = splitQueries(store, queries)
  const found = await findRow(store, { id: rowIdOf(ctx), where, maxBytes, ...related })
  const state = { etag: runtime.toEtag(found), updatedAt: found.updatedAt }
  if (!isMatched(state, parsePreconditions(ctx.incoming))) throw changed(state.etag)
  const { rows } = await addRelated({ rows: [found] }, apart, { limit: 1, maxBytes })
  const serialize = await createSerializer(rows)
  return rowReply(200, rows.map(serialize).join(''))
}

/** Parses the `expand` parameter of a request for a row. Throws 400 if it is invalid. */
export function parseItemExpand({ expand }: Record<string, string>, expandable: readonly string[]): string[] {
  return parseExpand(expand, expandable, (issue) => {
    throw validationError([{ source: 'query', name: 'expand', ...issue }])
  })
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
