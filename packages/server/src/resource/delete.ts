import type { Reply } from '../http/reply.ts'
import { httpError } from '../http/http-error.ts'
import { assertState, parsePreconditions } from './etag.ts'
import { rowReply, serializeId } from './serialize-row.ts'
import { emitChange, type ResourceRequest, type ResourceRuntime } from './resource-runtime.ts'
import { rowIdOf, rowNotFound } from './read.ts'
import { findReadAccess, canRead } from './access.ts'
import type { Row, StoreWith } from '../define/store.ts'
import { MAX_CHANGE_ATTEMPTS, changedTooOften } from './row-lock.ts'

/** `DELETE`: gives the row as it was to who may read it. */
export async function deleteRow(
  store: StoreWith<'delete'>,
  runtime: ResourceRuntime,
  call: ResourceRequest,
): Promise<Reply> {
  // Asked before the row is gone.
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
  const isBlind = incoming.header('if-match') === null && incoming.header('if-none-match') === null && !isRequired
  if (isBlind || store.get === undefined) {
    const { match, noneMatch } = parsePreconditions(incoming)
    // A store that cannot read its rows cannot compare their versions.
    if (!isBlind && (match !== '*' || noneMatch !== null))
      throw httpError('PRECONDITION_FAILED', 'versions cannot be compared here: leave If-Match and If-None-Match out')
    return (await store.delete(target)) ?? rowNotFound()
  }
  for (let tries = 0; tries < MAX_CHANGE_ATTEMPTS; tries++) {
    const row = (await store.get(target)) ?? rowNotFound()
    assertState(toEtag(row), parsePreconditions(incoming), isRequired)
    const removed = await store.delete({ ...target, version: row.version })
    if (removed) return removed
  }
  throw changedTooOften()
}
