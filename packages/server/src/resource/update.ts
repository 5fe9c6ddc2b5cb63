import type { Reply } from '../http/server-request.ts'
import { assertWithin } from './access.ts'
import { emitChange } from './emit-change.ts'
import { assign } from './assign.ts'
import { runCheck } from './check.ts'
import { assertState, parsePreconditions } from './etag.ts'
import { rowReply, serializeId, stateHeaders } from './serialize-row.ts'
import { mergePatch } from './merge-patch.ts'
import { pickFields, toCandidate, type ResourceRequest, type ResourceRuntime } from './resource-runtime.ts'
import { findRow, rowIdOf } from './read.ts'
import { findReadAccess, canRead, type ReadAccess } from './read-access.ts'
import type { Fields, Row, StoreWith } from '../define/store.ts'
import { MAX_CHANGE_ATTEMPTS, changedTooOften } from './row-lock.ts'
import { assertObject, isSameJson, toValues } from './values.ts'

/** A way to change a row. */
interface ChangeKind {
  readonly action: 'replace' | 'update'
  /** The fields among what was sent. */
  pickInput(parts: ResourceRuntime, body: Fields): Fields
  /** All fields, as the caller wants them. */
  merge(parts: ResourceRuntime, row: Row, said: Fields): Fields
  /** Does a field stay as it is, of which nothing is said? */
  readonly isPart: boolean
}

type ChangeStore = StoreWith<'get' | 'replace'>

/** A change of a row that is there. */
interface RowUpdate {
  readonly store: ChangeStore
  readonly parts: ResourceRuntime
  readonly call: ResourceRequest
  readonly kind: ChangeKind
  readonly readAccess: ReadAccess
}

/** `PUT`: the whole is as sent; what is left out has its default. */
export function replaceRow(store: ChangeStore, parts: ResourceRuntime, call: ResourceRequest): Promise<Reply> {
  return changeLocked({ store, parts, call, kind: REPLACE })
}

/** `PATCH`: what is sent changes, the rest stays. */
export function updateRow(store: ChangeStore, parts: ResourceRuntime, call: ResourceRequest): Promise<Reply> {
  return changeLocked({ store, parts, call, kind: UPDATE })
}

function changeLocked(asked: Omit<RowUpdate, 'readable'>): Promise<Reply> {
  const { parts, call } = asked
  return parts.withRowLock(rowIdOf(call.ctx), findForChange(asked), ({ row, readable }, hasWaited) =>
    changeRow({ ...asked, readAccess: readable }, hasWaited ? null : row),
  )
}

/** The row, and whether the caller may see it: who may not change it has no turn. */
async function findForChange({
  store,
  parts,
  call,
}: Omit<RowUpdate, 'readable'>): Promise<{ row: Row; readable: ReadAccess }> {
  const row = await findRow(store, { id: rowIdOf(call.ctx), where: call.where })
  return { row, readable: await findReadAccess(parts, call) }
}

async function changeRow(change: RowUpdate, found: Row | null): Promise<Reply> {
  const { store, parts, call } = change
  const { resource, toEtag } = parts
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
    await runCheck(parts, ctx, { values, before: row })
    const after = await store.replace({ id, where, version: row.version }, changes)
    if (after) {
      const reply = await answerWith(change, after)
      emitChange(parts, ctx, { event: 'updated', row: after, before: row })
      return reply
    }
    // Somebody else was faster: what the caller wants is made of the row as it is now.
  }
  throw changedTooOften()
}

/** The fields, as they are to be. */
async function newValues({ parts, call, kind: way }: RowUpdate, row: Row): Promise<Fields> {
  const body = assertObject(call.body)
  const said = way.pickInput(parts, body)
  const candidate = toCandidate(parts, way.merge(parts, row, said))
  const isUnsaid = (name: string): boolean => way.isPart && !Object.hasOwn(said, name)
  const wanted = { action: way.action, candidate, row, isKept: isUnsaid }
  const { assigned, validated: judged } = await assign(parts, call, wanted)
  const isKept = (name: string): boolean => isUnsaid(name) || Object.hasOwn(assigned, name)
  return toValues(parts, { body, input: said, assigned, row, isUnchanged: isKept }, judged)
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

/** The row as it is now, for who may see it. */
async function answerWith({ store, parts, call, readAccess: readable }: RowUpdate, row: Row): Promise<Reply> {
  const isWhole = readable === true || (await canRead(store, readable, call))
  return rowReply(200, isWhole ? parts.serializeRow(row) : serializeId(row), stateHeaders(row, parts.toEtag))
}

const REPLACE: ChangeKind = {
  action: 'replace',
  pickInput: toCandidate,
  merge: (_parts, _row, said) => said,
  isPart: false,
}

const UPDATE: ChangeKind = {
  action: 'update',
  pickInput: pickFields,
  merge(parts, row, said) {
    const { input } = parts.resource.fieldSchema
    return mergePatch(toCandidate(parts, row), said, { schema: input, root: input })
  },
  isPart: true,
}
