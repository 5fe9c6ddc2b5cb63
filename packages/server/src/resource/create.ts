import type { Reply } from '../http/call.ts'
import { principalOf } from '../endpoint/endpoint.ts'
import { parseIdempotencyKey } from '../idempotency/idempotency-key.ts'
import { assertComparable, assertReachable, assertWithin } from './access.ts'
import { announce } from './emit-change.ts'
import { assign } from './assign.ts'
import { assertChecked } from './check.ts'
import { OWN_FIELDS } from '../define/resource-fields.ts'
import { jsonReply, stateOf } from './serialize-row.ts'
import { toCandidate, type ResourceCall, type ResourceParts } from './resource-runtime.ts'
import type { Fields, Row, Store, StoreWith } from '../define/store.ts'
import { assertObject, toValues } from './values.ts'

/** `POST` to the list. With a key that was used before: the answer from then. */
export async function createRow(store: StoreWith<'create'>, parts: ResourceParts, call: ResourceCall): Promise<Reply> {
  const { ctx } = call
  const key = parseIdempotencyKey(ctx.source.header('idempotency-key'))
  if (key !== null) return createOnce(store, parts, { ...call, key })
  const row = await store.create(await prepare(parts, call))
  const reply = toReply(parts, row)
  announce(parts, ctx, { event: 'created', row })
  return reply
}

async function createOnce(
  store: StoreWith<'create'>,
  parts: ResourceParts,
  call: ResourceCall & { key: string },
): Promise<Reply> {
  const { ctx, tools, body, key } = call
  // Prepared before the transaction, whose connection may be the only one. A fault is thrown after the key was looked
  // up: a request that is repeated gets its first answer.
  const prepared = await toOutcome(prepare(parts, call))
  let made: { row: Row; reply: Reply } | undefined
  const execute = async (inner: Store): Promise<Reply> => {
    if (inner.create === undefined) throw new TypeError('the store of a transaction has no create')
    const row = await inner.create(prepared())
    made = { row, reply: toReply(parts, row) }
    return made.reply
  }
  const { caller, path, signal } = ctx
  const request = { principal: principalOf(ctx), caller, method: 'POST', path, body, signal, key }
  const reply = await tools.idempotency.runIn(store, request, execute)
  // A store may have done the work, and then found that another was first.
  if (made?.reply === reply) announce(parts, ctx, { event: 'created', row: made.row })
  return reply
}

function toReply({ path, toText, toEtag }: ResourceParts, row: Row): Reply {
  return jsonReply(201, toText(row), { location: `${path}/${row.id}`, ...stateOf(row, toEtag) })
}

/** The values of a new row. */
async function prepare(parts: ResourceParts, call: ResourceCall): Promise<Fields> {
  const { ctx, where } = call
  const body = assertObject(call.body)
  const said = toCandidate(parts, body)
  const fresh = { row: null, isKept: never }
  const { assigned, judged } = await assign(parts, call, { action: 'create', candidate: said, ...fresh })
  const values = { ...assigned, ...(await toValues(parts, { body, said, assigned, ...fresh }, judged)) }
  assertReachable(where, values, OWN_FIELDS)
  assertComparable(parts.resource.shape.unique, values)
  assertWithin(where, values)
  await assertChecked(parts, ctx, { values, before: null })
  return values
}

function never(): boolean {
  return false
}

/** What came of it, for later: gives the value, or throws the fault. */
async function toOutcome<T>(work: Promise<T>): Promise<() => T> {
  try {
    const value = await work
    return () => value
  } catch (fault) {
    return () => {
      throw fault
    }
  }
}
