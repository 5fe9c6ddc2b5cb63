import type { Reply } from '../http/call.ts'
import { assertWithin } from './access.ts'
import { announce } from './emit-change.ts'
import { assign } from './assign.ts'
import { assertChecked } from './check.ts'
import { assertState, parsePreconditions } from './etag.ts'
import { jsonReply, onlyId, stateOf } from './serialize-row.ts'
import { mergePatch } from './merge-patch.ts'
import { pickFields, toCandidate, type ResourceCall, type ResourceParts } from './resource-runtime.ts'
import { findRow, idOf } from './read.ts'
import { findReadable, isShown, type Readable } from './read-access.ts'
import type { Fields, Row, StoreWith } from '../define/store.ts'
import { MAX_TRIES, tooOften } from './row-lock.ts'
import { assertObject, isSame, toValues } from './values.ts'

/** A way to change a row. */
interface Way {
  readonly action: 'replace' | 'update'
  /** The fields among what was sent. */
  said(parts: ResourceParts, body: Fields): Fields
  /** All fields, as the caller wants them. */
  merge(parts: ResourceParts, row: Row, said: Fields): Fields
  /** Does a field stay as it is, of which nothing is said? */
  readonly isPart: boolean
}

type ChangeStore = StoreWith<'get' | 'replace'>

/** A change of a row that is there. */
interface Change {
  readonly store: ChangeStore
  readonly parts: ResourceParts
  readonly call: ResourceCall
  readonly way: Way
  readonly readable: Readable
}

/** `PUT`: the whole is as sent; what is left out has its default. */
export function replaceRow(store: ChangeStore, parts: ResourceParts, call: ResourceCall): Promise<Reply> {
  return inTurn({ store, parts, call, way: REPLACE })
}

/** `PATCH`: what is sent changes, the rest stays. */
export function updateRow(store: ChangeStore, parts: ResourceParts, call: ResourceCall): Promise<Reply> {
  return inTurn({ store, parts, call, way: UPDATE })
}

function inTurn(asked: Omit<Change, 'readable'>): Promise<Reply> {
  const { parts, call } = asked
  return parts.inTurn(idOf(call.ctx), find(asked), ({ row, readable }, hasWaited) =>
    changeRow({ ...asked, readable }, hasWaited ? null : row),
  )
}

/** The row, and whether the caller may see it: who may not change it has no turn. */
async function find({ store, parts, call }: Omit<Change, 'readable'>): Promise<{ row: Row; readable: Readable }> {
  const row = await findRow(store, { id: idOf(call.ctx), where: call.where })
  return { row, readable: await findReadable(parts, call) }
}

async function changeRow(change: Change, found: Row | null): Promise<Reply> {
  const { store, parts, call } = change
  const { resource, toEtag } = parts
  const { ctx, where } = call
  const id = idOf(ctx)
  const isRequired = resource.definition.ifMatch === 'required'
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const row = (tries === 0 ? found : null) ?? (await findRow(store, { id, where }))
    assertState(toEtag(row), parsePreconditions(ctx.source), isRequired)
    const values = await newValues(change, row)
    assertWithin(where, values)
    const changes = changesOf(row, values)
    if (changes === null) return answerWith(change, row)
    await assertChecked(parts, ctx, { values, before: row })
    const after = await store.replace({ id, where, version: row.version }, changes)
    if (after) {
      const reply = await answerWith(change, after)
      announce(parts, ctx, { event: 'updated', row: after, before: row })
      return reply
    }
    // Somebody else was faster: what the caller wants is made of the row as it is now.
  }
  throw tooOften()
}

/** The fields, as they are to be. */
async function newValues({ parts, call, way }: Change, row: Row): Promise<Fields> {
  const body = assertObject(call.body)
  const said = way.said(parts, body)
  const candidate = toCandidate(parts, way.merge(parts, row, said))
  const isUnsaid = (name: string): boolean => way.isPart && !Object.hasOwn(said, name)
  const wanted = { action: way.action, candidate, row, isKept: isUnsaid }
  const { assigned, judged } = await assign(parts, call, wanted)
  const isKept = (name: string): boolean => isUnsaid(name) || Object.hasOwn(assigned, name)
  return toValues(parts, { body, said, assigned, row, isKept }, judged)
}

/** What is new: a store may keep more digits of the rest than rows show. Null: nothing. */
function changesOf(row: Row, values: Fields): Fields | null {
  const changes: Record<string, unknown> = {}
  let isChanged = false
  for (const name in values) {
    if (isSame(row[name], values[name])) continue
    changes[name] = values[name]
    isChanged = true
  }
  return isChanged ? changes : null
}

/** The row as it is now, for who may see it. */
async function answerWith({ store, parts, call, readable }: Change, row: Row): Promise<Reply> {
  const isWhole = readable === true || (await isShown(store, readable, call))
  return jsonReply(200, isWhole ? parts.toText(row) : onlyId(row), stateOf(row, parts.toEtag))
}

const REPLACE: Way = { action: 'replace', said: toCandidate, merge: (_parts, _row, said) => said, isPart: false }

const UPDATE: Way = {
  action: 'update',
  said: pickFields,
  merge(parts, row, said) {
    const { input } = parts.resource.facts
    return mergePatch(toCandidate(parts, row), said, { schema: input, root: input })
  },
  isPart: true,
}
