import type { Reply } from '../http/reply.ts'
import { httpError } from '../http/http-error.ts'
import { assertState, parsePreconditions } from './etag.ts'
import { rowReply, serializeId } from './serialize-row.ts'
import type { ResourceRequest, ResourceRuntime } from './resource-runtime.ts'
import { rowIdOf, rowNotFound } from './read.ts'
import { findReadAccess, canRead } from './access.ts'
import type { StoreWith, Target } from '../define/store.ts'
import { retryStale, StaleRow } from './row-lock.ts'
import { writeOnce } from './write-once.ts'

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
  return retryStale(async () => {
    const target = await findTarget(store, runtime, call)
    return writeOnce(store, { runtime, call }, async (inner) => {
      const row = await inner.delete(target)
      if (!row && target.version !== undefined) throw new StaleRow()
      const deleted = row ?? rowNotFound()
      const reply = rowReply(200, isReadable ? runtime.serializeRow(deleted) : serializeId(deleted))
      return { reply, change: { event: 'deleted', row: deleted } }
    })
  })
}

/** Returns the row to delete. If the request has preconditions, asserts them and includes the row's version. */
async function findTarget(
  store: StoreWith<'delete'>,
  { resource, toEtag }: ResourceRuntime,
  { ctx, where }: ResourceRequest,
): Promise<Target> {
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
    return target
  }
  const row = (await store.get(target)) ?? rowNotFound()
  assertState({ etag: toEtag(row), updatedAt: row.updatedAt }, parsePreconditions(incoming), isRequired)
  return { ...target, version: row.version }
}
