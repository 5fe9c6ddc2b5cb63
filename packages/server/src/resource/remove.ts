import type { CallContext } from '../context.ts'
import type { Call, Reply } from '../http/call.ts'
import { refuse } from '../http/refusal.ts'
import { findAccess } from './access.ts'
import { announce } from './announce.ts'
import { assertState, parsePreconditions } from './etag.ts'
import { jsonReply } from './item.ts'
import type { ResourceCall, ResourceParts } from './parts.ts'
import { findRow, idOf, missing } from './read.ts'
import type { Row, Store, Target, Where } from './store.ts'
import { isSame } from './values.ts'

const MAX_TRIES = 200

/** `DELETE`: gives the row as it was to who may read it. */
export async function deleteRow(store: Store, parts: ResourceParts, call: ResourceCall): Promise<Reply> {
  const { ctx, where } = call
  const id = idOf(ctx)
  const isReadable = await mayRead(store, parts, call)
  const row = await remove(store, parts, { target: { id, where }, source: ctx.source })
  announce(parts, ctx, { event: 'deleted', row })
  return jsonReply(200, isReadable ? parts.toItem(row) : { id })
}

async function remove(
  store: Store,
  { resource, toEtag }: ResourceParts,
  { target, source }: { target: Target; source: Call },
): Promise<Row> {
  const isRequired = resource.definition.ifMatch === 'required'
  const isBlind = source.header('if-match') === null && source.header('if-none-match') === null && !isRequired
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (isBlind) return (await store.delete?.(target)) ?? missing()
    // Its state can only be compared by a store that can read it.
    const row = store.get === undefined ? missing() : await findRow(store.get, target)
    assertState(toEtag(row), parsePreconditions(source), isRequired)
    const removed = await store.delete?.({ ...target, version: row.version })
    if (removed !== null && removed !== undefined) return removed
  }
  throw refuse('SERVICE_UNAVAILABLE', 'it changes too often just now', { retryAfter: 1 })
}

/** May the caller see what is deleted? Asked before, because afterwards nobody can tell. */
async function mayRead(
  store: Store,
  { resource }: ResourceParts,
  { ctx, where }: { ctx: CallContext; where: Where },
): Promise<boolean> {
  const { access } = resource.definition
  if (access === 'public') return true
  const readable = await findAccess(access, 'get', ctx)
  if (readable === null) return false
  if (isSame(readable, where)) return true
  return store.get !== undefined && (await store.get({ id: idOf(ctx), where: readable })) !== null
}
