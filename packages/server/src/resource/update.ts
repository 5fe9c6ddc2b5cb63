import type { Reply } from '../http/reply.ts'
import { assertWithin, findReadAccess, canRead, type ReadAccess } from './access.ts'
import { assign } from './assign.ts'
import { assertState, parsePreconditions } from './etag.ts'
import { rowReply, serializeId, stateHeaders } from './serialize-row.ts'
import { mergePatch } from './merge-patch.ts'
import { pickFields, runCheck, toCandidate, type ResourceRequest, type ResourceRuntime } from './resource-runtime.ts'
import { findRow, rowIdOf } from './read.ts'
import type { Fields, Row, Store, StoreWith } from '../define/store.ts'
import { retryStale, StaleRow } from './row-lock.ts'
import { assertObject, isSameJson, toValues } from './values.ts'
import { writeOnce } from './write-once.ts'

type ChangeStore = StoreWith<'get' | 'replace'>

interface RowUpdate {
  readonly store: ChangeStore
  readonly runtime: ResourceRuntime
  readonly call: ResourceRequest
  readonly action: 'replace' | 'update'
  readonly readAccess: ReadAccess
}

/** Handles `PUT` requests, which replace the entire row. Omitted fields get their defaults. */
export function replaceRow(store: ChangeStore, runtime: ResourceRuntime, call: ResourceRequest): Promise<Reply> {
  return changeLocked({ store, runtime, call, action: 'replace' })
}

/** Handles `PATCH` requests, which change only the fields that are sent. */
export function updateRow(store: ChangeStore, runtime: ResourceRuntime, call: ResourceRequest): Promise<Reply> {
  return changeLocked({ store, runtime, call, action: 'update' })
}

function changeLocked(update: Omit<RowUpdate, 'readAccess'>): Promise<Reply> {
  const { store, runtime, call } = update
  const id = rowIdOf(call.ctx)
  // Runs before locking, because a caller without access to the row must not wait for the lock.
  const find = async (): Promise<{ row: Row; readAccess: ReadAccess }> => {
    const row = await findRow(store, { id, where: call.where })
    return { row, readAccess: await findReadAccess(runtime, call) }
  }
  // A transaction locks the row until it ends, so waiting here for a change that needs the same lock would deadlock.
  if ((store.currentTransaction?.() ?? null) !== null)
    return find().then(({ row, readAccess }) => changeRow({ ...update, readAccess }, row))
  return runtime.withRowLock(id, find(), ({ row, readAccess }, hasWaited) =>
    changeRow({ ...update, readAccess }, hasWaited ? null : row),
  )
}

function changeRow(change: RowUpdate, found: Row | null): Promise<Reply> {
  const { store, runtime, call } = change
  const { resource, toEtag } = runtime
  const { ctx, where } = call
  const id = rowIdOf(ctx)
  const isRequired = resource.definition.ifMatch === 'required'
  return retryStale(async (isFirst) => {
    const row = (isFirst ? found : null) ?? (await findRow(store, { id, where }))
    assertState({ etag: toEtag(row), updatedAt: row.updatedAt }, parsePreconditions(ctx.incoming), isRequired)
    const values = await newValues(change, row)
    assertWithin(where, values)
    const changes = changesOf(row, values)
    if (changes !== null) await runCheck(runtime, ctx, { values, before: row })
    return writeOnce(store, change, async (inner) => {
      if (changes === null) return { reply: await answerWith(inner, change, row), change: null }
      const after = await inner.replace({ id, where, version: row.version }, changes)
      if (!after) throw new StaleRow()
      return { reply: await answerWith(inner, change, after), change: { event: 'updated', row: after, before: row } }
    })
  })
}

async function newValues({ runtime, call, action }: RowUpdate, row: Row): Promise<Fields> {
  const body = assertObject(call.body)
  const isPatch = action === 'update'
  const input = isPatch ? pickFields(runtime, body) : toCandidate(runtime, body)
  const schema = runtime.resource.fieldSchema.input
  const merged = isPatch ? mergePatch(toCandidate(runtime, row), input, { schema, root: schema }) : input
  const isUnsaid = (name: string): boolean => isPatch && !Object.hasOwn(input, name)
  const wanted = { action, candidate: toCandidate(runtime, merged), row, isUnchanged: isUnsaid }
  const { assigned, validated } = await assign(runtime, call, wanted)
  const isUnchanged = (name: string): boolean => isUnsaid(name) || Object.hasOwn(assigned, name)
  return toValues(runtime, { body, input, assigned, row, isUnchanged }, validated)
}

/**
 * Returns only the changed fields, or null if nothing changed. Writing back an unchanged number could lose digits that
 * the store holds but the row does not show.
 */
function changesOf(row: Row, values: Fields): Fields | null {
  const changes = Object.entries(values).filter(([name, value]) => !isSameJson(row[name], value))
  return changes.length === 0 ? null : Object.fromEntries(changes)
}

async function answerWith(store: Store, { runtime, call, readAccess }: RowUpdate, row: Row): Promise<Reply> {
  const isWhole = readAccess === true || (await canRead(store, readAccess, call))
  return rowReply(200, isWhole ? runtime.serializeRow(row) : serializeId(row), stateHeaders(row, runtime.toEtag))
}
