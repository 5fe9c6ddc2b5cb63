import type { Reply } from '../http/reply.ts'
import { principalOf } from '../endpoint/endpoint.ts'
import { parseIdempotencyKey } from '../idempotency/idempotency-key.ts'
import { assertComparable, assertReachable, assertWithin } from './access.ts'
import { assign } from './assign.ts'
import { SYSTEM_FIELDS } from '../define/resource-fields.ts'
import { rememberRow } from './references.ts'
import { rowReply, stateHeaders } from './serialize-row.ts'
import { emitChange, runCheck, toCandidate, type ResourceRequest, type ResourceRuntime } from './resource-runtime.ts'
import type { Fields, Row, Store, StoreWith } from '../define/store.ts'
import { assertObject, toValues } from './values.ts'

/** Handles `POST` requests to the list. Returns the stored response if the idempotency key was used before. */
export async function createRow(
  store: StoreWith<'create'>,
  runtime: ResourceRuntime,
  call: ResourceRequest,
): Promise<Reply> {
  const key = parseIdempotencyKey(call.ctx.incoming.header('idempotency-key'))
  return key === null ? insertRow(store, runtime, call) : createOnce(store, runtime, { ...call, key })
}

/** Creates a row and returns the response. */
export async function insertRow(
  store: StoreWith<'create'>,
  runtime: ResourceRuntime,
  call: ResourceRequest,
): Promise<Reply> {
  const row = await store.create(await prepare(runtime, call))
  rememberRow(store, row.id)
  const reply = toCreatedReply(runtime, row)
  emitChange(runtime, call.ctx, { event: 'created', row })
  return reply
}

async function createOnce(
  store: StoreWith<'create'>,
  runtime: ResourceRuntime,
  call: ResourceRequest & { key: string },
): Promise<Reply> {
  const { ctx, tools, body, key } = call
  // Runs before the transaction starts, because the transaction may hold the only connection. Errors are thrown only
  // after the key lookup, so that a repeated request gets its original response.
  const preparing = prepare(runtime, call)
  await preparing.catch(() => {})
  let made: { row: Row; reply: Reply } | undefined
  const execute = async (inner: Store): Promise<Reply> => {
    if (inner.create === undefined) throw new TypeError('the store for the transaction has no create method')
    const row = await inner.create(await preparing)
    made = { row, reply: toCreatedReply(runtime, row) }
    return made.reply
  }
  const { rateLimitKey, path, signal } = ctx
  const request = { principal: principalOf(ctx), owner: rateLimitKey, method: 'POST', path, body, signal, key }
  const reply = await tools.idempotency.runIn(store, request, execute)
  // The store may have discarded this result and returned the stored response of a concurrent request.
  if (made?.reply === reply) emitChange(runtime, ctx, { event: 'created', row: made.row })
  return reply
}

function toCreatedReply({ path, serializeRow, toEtag }: ResourceRuntime, row: Row): Reply {
  return rowReply(201, serializeRow(row), { location: `${path}/${row.id}`, ...stateHeaders(row, toEtag) })
}

async function prepare(runtime: ResourceRuntime, call: ResourceRequest): Promise<Fields> {
  const { ctx, where } = call
  const body = assertObject(call.body)
  const input = toCandidate(runtime, body)
  const fresh = { row: null, isUnchanged: () => false }
  const { assigned, validated } = await assign(runtime, call, { action: 'create', candidate: input, ...fresh })
  const values = { ...assigned, ...(await toValues(runtime, { body, input, assigned, ...fresh }, validated)) }
  assertReachable(where, values, SYSTEM_FIELDS)
  assertComparable(runtime.resource.shape.unique, values)
  assertWithin(where, values)
  await runCheck(runtime, ctx, { values, before: null })
  return values
}
