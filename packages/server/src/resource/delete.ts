import type { Call, Reply } from '../http/call.ts'
import { refuse } from '../http/http-error.ts'
import { announce } from './emit-change.ts'
import { assertState, parsePreconditions, type Preconditions } from './etag.ts'
import { jsonReply, onlyId } from './serialize-row.ts'
import type { ResourceCall, ResourceParts } from './resource-runtime.ts'
import { idOf, missing } from './read.ts'
import { findReadable, isShown } from './read-access.ts'
import type { Row, StoreWith, Target } from '../define/store.ts'
import { MAX_TRIES, tooOften } from './row-lock.ts'

/** `DELETE`: gives the row as it was to who may read it. */
export async function deleteRow(store: StoreWith<'delete'>, parts: ResourceParts, call: ResourceCall): Promise<Reply> {
  const { ctx, where } = call
  const id = idOf(ctx)
  // Asked before the row is gone.
  const isReadable = await isShown(store, await findReadable(parts, call), call)
  const row = await remove(store, parts, { target: { id, where }, source: ctx.source })
  const reply = jsonReply(200, isReadable ? parts.toText(row) : onlyId(row))
  announce(parts, ctx, { event: 'deleted', row })
  return reply
}

async function remove(
  store: StoreWith<'delete'>,
  { resource, toEtag }: ResourceParts,
  { target, source }: { target: Target; source: Call },
): Promise<Row> {
  const isRequired = resource.definition.ifMatch === 'required'
  const isBlind = source.header('if-match') === null && source.header('if-none-match') === null && !isRequired
  if (isBlind || store.get === undefined) {
    if (!isBlind) assertUncompared(parsePreconditions(source))
    return (await store.delete(target)) ?? missing()
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const row = (await store.get(target)) ?? missing()
    assertState(toEtag(row), parsePreconditions(source), isRequired)
    const removed = await store.delete({ ...target, version: row.version })
    if (removed) return removed
  }
  throw tooOften()
}

/** A store that cannot read its rows cannot compare their versions. */
function assertUncompared({ match, noneMatch }: Preconditions): void {
  if (match === '*' && noneMatch === null) return
  throw refuse('PRECONDITION_FAILED', 'versions cannot be compared here: leave If-Match and If-None-Match out')
}
