import type { Reply } from '../http/reply.ts'
import { assertWithin, findReadAccess, canRead, type ReadAccess } from './access.ts'
import { emitChange } from './emit-change.ts'
import { assign } from './assign.ts'
import { runCheck } from './check.ts'
import { assertState, parsePreconditions } from './etag.ts'
import { rowReply, serializeId, stateHeaders } from './serialize-row.ts'
import { mergePatch } from './merge-patch.ts'
import { pickFields, toCandidate, type ResourceRequest, type ResourceRuntime } from './resource-runtime.ts'
import { findRow, rowIdOf } from './read.ts'
import type { Fields, Row, StoreWith } from '../define/store.ts'
import { MAX_CHANGE_ATTEMPTS, changedTooOften } from './row-lock.ts'
import { assertObject, isSameJson, toValues } from './values.ts'

interface ChangeKind {
  readonly action: 'replace' | 'update'
  /** The fields among what was sent. */
  pickInput(runtime: ResourceRuntime, body: Fields): Fields
  /** All fields, as the caller wants them. */
  merge(runtime: ResourceRuntime, row: Row, input: Fields): Fields
  /** Does a field stay as it is, of which nothing is said? */
  readonly isPart: boolean
}

type ChangeStore = StoreWith<'get' | 'replace'>

interface RowUpdate {
  readonly store: ChangeStore
  readonly runtime: ResourceRuntime
  readonly call: ResourceRequest
  readonly kind: ChangeKind
  readonly readAccess: ReadAccess
}

/** `PUT`: the whole is as sent; what is left out has its default. */
export function replaceRow(store: ChangeStore, runtime: ResourceRuntime, call: ResourceRequest): Promise<Reply> {
  return changeLocked({ store, runtime, call, kind: REPLACE })
}

/** `PATCH`: what is sent changes, the rest stays. */
export function updateRow(store: ChangeStore, runtime: ResourceRuntime, call: ResourceRequest): Promise<Reply> {
  return changeLocked({ store, runtime, call, kind: UPDATE })
}

function changeLocked(update: Omit<RowUpdate, 'readAccess'>): Promise<Reply> {
  const { runtime, call } = update
  return runtime.withRowLock(rowIdOf(call.ctx), findForChange(update), ({ row, readAccess }, hasWaited) =>
    changeRow({ ...update, readAccess }, hasWaited ? null : row),
  )
}

/** The row, and whether the caller may see it: who may not change it has no turn. */
async function findForChange({
  store,
  runtime,
  call,
}: Omit<RowUpdate, 'readAccess'>): Promise<{ row: Row; readAccess: ReadAccess }> {
  const row = await findRow(store, { id: rowIdOf(call.ctx), where: call.where })
  return { row, readAccess: await findReadAccess(runtime, call) }
}

async function changeRow(change: RowUpdate, found: Row | null): Promise<Reply> {
  const { store, runtime, call } = change
  const { resource, toEtag } = runtime
  const { ctx, where } = call
  const id = rowIdOf(ctx)
  const isRequired = resource.definition.ifMatch === 'required'
  for (let tries = 0; tries < MAX_CHANGE_ATTEMPTS; tries++) {
    const row = (tries === 0 ? found : null) ?? (await findRow(store, { id, where }))
    assertState(toEtag(row), parsePreconditions(ctx.incoming), isRequired)
    const values = await newValues(change, row)
    assertWithin(where, values)
    const changes = changesOf(row, values)
    if (changes === null) return answerWith(change, row)
    await runCheck(runtime, ctx, { values, before: row })
    const after = await store.replace({ id, where, version: row.version }, changes)
    if (after) {
      const reply = await answerWith(change, after)
      emitChange(runtime, ctx, { event: 'updated', row: after, before: row })
      return reply
    }
    // Somebody else was faster: what the caller wants is made of the row as it is now.
  }
  throw changedTooOften()
}

async function newValues({ runtime, call, kind }: RowUpdate, row: Row): Promise<Fields> {
  const body = assertObject(call.body)
  const input = kind.pickInput(runtime, body)
  const candidate = toCandidate(runtime, kind.merge(runtime, row, input))
  const isUnsaid = (name: string): boolean => kind.isPart && !Object.hasOwn(input, name)
  const wanted = { action: kind.action, candidate, row, isUnchanged: isUnsaid }
  const { assigned, validated } = await assign(runtime, call, wanted)
  const isUnchanged = (name: string): boolean => isUnsaid(name) || Object.hasOwn(assigned, name)
  return toValues(runtime, { body, input, assigned, row, isUnchanged }, validated)
}

/** What is new: a store may keep more digits of the rest than rows show. Null: nothing. */
function changesOf(row: Row, values: Fields): Fields | null {
  const changes: Record<string, unknown> = {}
  let isChanged = false
  for (const name in values) {
    if (isSameJson(row[name], values[name])) continue
    changes[name] = values[name]
    isChanged = true
  }
  return isChanged ? changes : null
}

async function answerWith({ store, runtime, call, readAccess }: RowUpdate, row: Row): Promise<Reply> {
  const isWhole = readAccess === true || (await canRead(store, readAccess, call))
  return rowReply(200, isWhole ? runtime.serializeRow(row) : serializeId(row), stateHeaders(row, runtime.toEtag))
}

const REPLACE: ChangeKind = {
  action: 'replace',
  pickInput: toCandidate,
  merge: (_parts, _row, input) => input,
  isPart: false,
}

const UPDATE: ChangeKind = {
  action: 'update',
  pickInput: pickFields,
  merge(runtime, row, patch) {
    const { input } = runtime.resource.fieldSchema
    return mergePatch(toCandidate(runtime, row), patch, { schema: input, root: input })
  },
  isPart: true,
}
