import type { Reply } from '../http/reply.ts'
import { httpError, validationError } from '../http/http-error.ts'
import { addRelated } from './add-related.ts'
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
  // Versions of rows do not include their related rows.
  if (expansion !== null) return rowReply(200, serializePage(page, await expansion.createSerializer(page.rows)), link)
  if (isFresh(headers, conditions)) return notModified(headers)
  return rowReply(200, serializePage(page, serializeRow), headers)
}

/** Handles `GET` requests for a row. */
export async function getRow(store: StoreWith<'get'>, runtime: ResourceRuntime, call: ResourceRequest): Promise<Reply> {
  const { ctx, where } = call
  const { serializeRow, toEtag } = runtime
  const expand = parseItemExpand(ctx.query as Record<string, string>, runtime.expandable)
  const row = await findRow(store, { id: rowIdOf(ctx), where })
  const conditions = parsePreconditions(ctx.incoming)
  const headers = stateHeaders(row, toEtag)
  const state = { etag: headers.etag, updatedAt: row.updatedAt }
  if (!isMatched(state, conditions)) throw changed(state.etag)
  if (expand.length > 0) return rowReply(200, await expandRow(runtime, call, { row, expand }))
  return isFresh(state, conditions) ? notModified(headers) : rowReply(200, serializeRow(row), headers)
}

function parseItemExpand({ expand }: Record<string, string>, expandable: readonly string[]): string[] {
  return parseExpand(expand, expandable, (issue) => {
    throw validationError([{ source: 'query', name: 'expand', ...issue }])
  })
}

async function expandRow(
  runtime: ResourceRuntime,
  { ctx, tools }: ResourceRequest,
  { row, expand }: { row: Row; expand: readonly string[] },
): Promise<string> {
  const { queries, createSerializer } = await prepareExpansion(runtime, expand, ctx)
  const { rows } = await addRelated({ rows: [row] }, queries, { limit: 1, maxBytes: tools.limits.page })
  const serialize = await createSerializer(rows)
  return rows.map(serialize).join('')
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
