import type { Reply } from '../http/call.ts'
import { refuse } from '../http/refusal.ts'
import { assertWithin, findAssigned } from './access.ts'
import { announce } from './announce.ts'
import { assertState, parsePreconditions } from './etag.ts'
import { jsonReply, stateOf } from './item.ts'
import { mergePatch } from './merge-patch.ts'
import { toCandidate, type ResourceCall, type ResourceParts, type StoreFunction } from './parts.ts'
import { findRow, idOf } from './read.ts'
import type { Fields, Row } from './store.ts'
import { assertObject, fixedOf, isSame, pickFields, toValues } from './values.ts'

/** What makes new values of a row and a body. */
type MakeValues = (parts: ResourceParts, row: Row, sent: { body: Fields; assigned: Fields }) => Promise<Fields>

/** A way to change a row. */
interface Way {
  readonly action: 'replace' | 'update'
  readonly make: MakeValues
}

/** The two functions of a store that a change takes. */
export interface ChangeFunctions {
  readonly get: StoreFunction<'get'>
  readonly replace: StoreFunction<'replace'>
}

/** So often a change is tried when others change the same row; each time, one of them gets through. */
const MAX_TRIES = 200

/** `PUT`: the whole is as sent; what is left out has its default. */
export function replaceRow(store: ChangeFunctions, parts: ResourceParts, call: ResourceCall): Promise<Reply> {
  return inTurn(store, { ...parts, action: 'replace', make: replacement }, call)
}

/** `PATCH`: what is sent changes, the rest stays. */
export function updateRow(store: ChangeFunctions, parts: ResourceParts, call: ResourceCall): Promise<Reply> {
  return inTurn(store, { ...parts, action: 'update', make: merged }, call)
}

function inTurn(store: ChangeFunctions, parts: ResourceParts & Way, call: ResourceCall): Promise<Reply> {
  return parts.inTurn(idOf(call.ctx), () => changeRow(store, parts, call))
}

async function changeRow(
  { get, replace }: ChangeFunctions,
  parts: ResourceParts & Way,
  { ctx, where, body: sent }: ResourceCall,
): Promise<Reply> {
  const { resource, toEtag, toItem } = parts
  const id = idOf(ctx)
  const isRequired = resource.definition.ifMatch === 'required'
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const row = await findRow(get, { id, where })
    assertState(toEtag(row), parsePreconditions(ctx.source), isRequired)
    const body = assertObject(sent)
    const assigned = await findAssigned(resource.definition, parts.action, ctx)
    const values = await parts.make(parts, row, { body, assigned })
    assertWithin(where, values)
    if (isSame(pickFields(resource, row), values)) return jsonReply(200, toItem(row), stateOf(row, toEtag))
    const after = await replace({ id, where, version: row.version }, values)
    if (after !== null) {
      announce(parts, ctx, { event: 'updated', row: after, before: row })
      return jsonReply(200, toItem(after), stateOf(after, toEtag))
    }
    // Somebody else was faster: what the caller wants is made of the row as it is now.
  }
  throw refuse('SERVICE_UNAVAILABLE', 'it changes too often just now', { retryAfter: 1 })
}

async function replacement(
  parts: ResourceParts,
  row: Row,
  { body, assigned }: { body: Fields; assigned: Fields },
): Promise<Fields> {
  const { resource } = parts
  const candidate = { ...toCandidate(parts, body), ...assignedOf(parts, row, assigned) }
  return toValues(resource, { body, fixed: fixedOf(row, assigned) }, candidate)
}

async function merged(
  parts: ResourceParts,
  row: Row,
  { body, assigned }: { body: Fields; assigned: Fields },
): Promise<Fields> {
  const { resource } = parts
  if (Object.keys(body).length === 0) return pickFields(resource, row)
  const { input } = resource.facts
  const patch = pickFields(resource, body)
  const after = mergePatch(toCandidate(parts, row), patch, { schema: input, root: input })
  const candidate = { ...after, ...assignedOf(parts, row, assigned) }
  const values = await toValues(resource, { body, fixed: fixedOf(row, assigned) }, candidate)
  // What was not sent stays as it is, even where the schema would make something new of it.
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Object.hasOwn(patch, name) ? value : row[name]]),
  )
}

/** The declared fields that the definition sets: they stay. */
function assignedOf(parts: ResourceParts, row: Row, assigned: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(toCandidate(parts, row)).filter(([name]) => Object.hasOwn(assigned, name)))
}
