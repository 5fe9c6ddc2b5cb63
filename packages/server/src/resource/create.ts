import type { Reply } from '../http/reply.ts'
import { assertComparable, assertReachable, assertWithin } from './access.ts'
import { assign } from './assign.ts'
import { SYSTEM_FIELDS } from '../define/resource-fields.ts'
import { rememberRow } from './references.ts'
import { rowReply, stateHeaders } from './serialize-row.ts'
import { runCheck, toCandidate, type ResourceRequest, type ResourceRuntime } from './resource-runtime.ts'
import type { Fields, Row, StoreWith } from '../define/store.ts'
import { assertObject, toValues } from './values.ts'
import { writeOnce } from './write-once.ts'

/** Handles `POST` requests to the list. */
export async function createRow(
  store: StoreWith<'create'>,
  runtime: ResourceRuntime,
  call: ResourceRequest,
): Promise<Reply> {
  const values = await prepare(runtime, call)
  return writeOnce(store, { runtime, call }, async (inner) => {
    const row = await inner.create(values)
    rememberRow(store, row.id)
    return { reply: toCreatedReply(runtime, row), change: { event: 'created', row } }
  })
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
