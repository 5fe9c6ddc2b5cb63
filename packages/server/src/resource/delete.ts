import type { Reply } from '../http/reply.ts'
import { httpError } from '../http/http-error.ts'
import { assertState, parsePreconditions } from './etag.ts'
import { rowReply, serializeId } from './serialize-row.ts'
import { emitChange, type ResourceRequest, type ResourceRuntime } from './resource-runtime.ts'
import { rowIdOf, rowNotFound } from './read.ts'
import { findReadAccess, canRead } from './access.ts'
import type { Row, StoreWith } from '../define/store.ts'
import { MAX_CHANGE_ATTEMPTS, changedTooOften } from './row-lock.ts'

const CHANGE_CONDITIONS = ['if-match', 'if-none-match', 'if-unmodified-since']
const CONDITION_NAMES = 'If-Match, If-None-Match and If-Unmodified-Since'

/** Handles `DELETE` requests. Responds with the deleted row, or only with its id if the caller may not read the row. */
export async function deleteRow(
  store: StoreWith<'delete'>,
  runtime: ResourceRuntime,
  call: ResourceRequest,
): Promise<Reply> {
  // Must be checked before the row is deleted.
  const isReadable = await canRead(store, await findReadAccess(runtime, call), call)
  const row = await deleteMatching(store, runtime, call)
  const reply = rowReply(200, isReadable ? runtime.serializeRow(row) : serializeId(row))
  emitChange(runtime, call.ctx, { event: 'deleted', row })
  return reply
}

async function deleteMatching(
  store: StoreWith<'delete'>,
  { resource, toEtag }: ResourceRuntime,
  { ctx, where }: ResourceRequest,
): Promise<Row> {
  const { incoming } = ctx
  const target = { id: rowIdOf(ctx), where }
  const isRequired = resource.definition.ifMatch === 'required'
  const isBlind = !isRequired && CHANGE_CONDITIONS.every((name) => incoming.header(name) === null)
  if (isBlind || store.get === undefined) {
    const { match, unmodifiedSince, noneMatch } = parsePreconditions(incoming)
    const isAny = match === '*' || (match === null && unmodifiedSince === null && !isRequired)
    // A store that cannot read its rows cannot compare their versions.
    if (!isAny || noneMatch !== null)
      throw httpError('PRECONDITION_FAILED', `the store cannot compare versions: omit ${CONDITION_NAMES}`)
    return (await store.delete(target)) ?? rowNotFound()
  }
  for (let tries = 0; tries < MAX_CHANGE_ATTEMPTS; tries++) {
    const row = (await store.get(target)) ?? rowNotFound()
    assertState({ etag: toEtag(row), updatedAt: row.updatedAt }, parsePreconditions(incoming), isRequired)
    const removed = await store.delete({ ...target, version: row.version })
    if (removed) return removed
  }
  throw changedTooOften()
}
