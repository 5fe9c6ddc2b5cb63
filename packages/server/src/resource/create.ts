import type { Reply } from '../http/call.ts'
import { principalOf } from '../http/endpoint.ts'
import { parseIdempotencyKey } from '../idempotency/idempotency-key.ts'
import { assertReachable, assertWithin, findAssigned } from './access.ts'
import { announce } from './announce.ts'
import { OWN_FIELDS } from './fields.ts'
import { jsonReply, stateOf } from './item.ts'
import { toCandidate, type ResourceCall, type ResourceParts } from './parts.ts'
import type { Fields, Row, Store } from './store.ts'
import { assertObject, fixedOfNew, toValues } from './values.ts'

/** `POST` to the list. With a key that was used before: the answer from then. */
export async function createRow(store: Store, parts: ResourceParts, call: ResourceCall): Promise<Reply> {
  const { ctx, tools, body } = call
  const key = parseIdempotencyKey(ctx.source.header('idempotency-key'))
  // Made ready before the transaction, whose connection may be the only one; a fault counts once the key was looked up.
  const prepared = await toOutcome(prepare(parts, call))
  let created: Row | undefined
  const execute = async ({ create }: Store): Promise<Reply> => {
    if (create === undefined) throw new TypeError('the store of a transaction has no create')
    const row = (created = await create(prepared()))
    const { path, toItem, toEtag } = parts
    return jsonReply(201, toItem(row), { location: `${path}/${row.id}`, ...stateOf(row, toEtag) })
  }
  const request = { principal: principalOf(ctx), method: 'POST', path: ctx.path, body, signal: ctx.signal }
  const reply = await (key === null ? execute(store) : tools.idempotency.runIn(store, { ...request, key }, execute))
  if (created !== undefined) announce(parts, ctx, { event: 'created', row: created })
  return reply
}

/** The values of a new row. */
async function prepare(parts: ResourceParts, { ctx, body: sent, where }: ResourceCall): Promise<Fields> {
  const { resource } = parts
  const body = assertObject(sent)
  const assigned = await findAssigned(resource.definition, 'create', ctx)
  const candidate = { ...toCandidate(parts, body), ...toCandidate(parts, assigned) }
  const values = { ...assigned, ...(await toValues(resource, { body, fixed: fixedOfNew(assigned) }, candidate)) }
  assertReachable(where, values, OWN_FIELDS)
  assertWithin(where, values)
  return values
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
