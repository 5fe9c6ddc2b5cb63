import type { AnyResourceDefinition, ResourceAction } from '../define/resource-definition.ts'
import type { ApiError } from '@sdk/protocol'
import type { RequestContext } from '../context/context.ts'
import { httpError } from '../http/http-error.ts'
import { ALL_ROWS, findAccess } from './access-rule.ts'
import { matchesWhere } from './sort-order.ts'
import type { Field, Fields, ResourceShape, Where, Store } from '../define/store.ts'
import type { ResourceRequest, ResourceRuntime } from './resource-runtime.ts'
import { rowIdOf } from './read.ts'
import { isSameJson } from './values.ts'

/**
 * Returns a condition for the rows that a caller may access with this action. Throws 401 or 403 if access is denied.
 */
export function requireAccess(
  definition: AnyResourceDefinition,
  action: ResourceAction,
  ctx: RequestContext,
): Where | Promise<Where> {
  return definition.access === 'public' ? ALL_ROWS : requireRule(definition, action, ctx)
}

async function requireRule(
  { access, assign }: AnyResourceDefinition,
  action: ResourceAction,
  ctx: RequestContext,
): Promise<Where> {
  const where = await findAccess(access, action, ctx)
  if (where === null) throw ctx.auth === null ? signInRequired() : httpError('FORBIDDEN', 'access denied')
  // These actions call `assign`, which needs a user.
  const isWrite = action === 'create' || action === 'replace' || action === 'update'
  if (assign !== undefined && isWrite && ctx.auth === null) throw signInRequired()
  return where
}

/** Throws 403 if the new values would make the row inaccessible to the caller. */
export function assertWithin(where: Where, values: Fields): void {
  if (where === ALL_ROWS) return
  const known = Object.fromEntries(Object.entries(where).filter(([name]) => Object.hasOwn(values, name)))
  if (!matchesWhere(values, known)) throw httpError('FORBIDDEN', 'these values are not allowed')
}

/**
 * Throws if the access rule uses fields that are never set, because such a rule would hide every new row from all
 * callers.
 */
export function assertReachable(where: Where, values: Fields, own: readonly Field[]): void {
  if (where === ALL_ROWS) return
  const missing = Object.keys(where).filter(
    (name) => !Object.hasOwn(values, name) && !own.some((field) => field.name === name),
  )
  if (missing.length === 0) return
  const names = missing.join(', ')
  throw new TypeError(`access filters by ${names}, which assign does not set: add assign: () => ({ ${names}: … })`)
}

/** Throws if new rows have no value for a unique field, because its uniqueness would never be checked. */
export function assertComparable(unique: ResourceShape['unique'], values: Fields): void {
  const missing = unique.flat().filter((name) => values[name] === undefined)
  if (missing.length > 0)
    throw new TypeError(`unique contains ${missing.join(', ')}, but neither the schema nor assign provides a value`)
}

/** Creates the error for a caller that is not signed in. */
export function signInRequired(): ApiError {
  return httpError('UNAUTHORIZED', 'sign in first')
}

/**
 * Whether the caller may read the row that it changes. If only some rows are readable, this is the condition that the
 * store checks.
 */
export type ReadAccess = boolean | Where

/** Returns the caller's read access to the rows that it may change. */
export async function findReadAccess(
  { resource }: ResourceRuntime,
  { ctx, where }: ResourceRequest,
): Promise<ReadAccess> {
  const { access } = resource.definition
  if (access === 'public') return true
  const readable = await findAccess(access, 'get', ctx)
  return readable !== null && (isSameJson(readable, where) || readable)
}

/** Returns whether the caller may read the requested row in its current state. */
export async function canRead(store: Store, readable: ReadAccess, { ctx }: ResourceRequest): Promise<boolean> {
  if (typeof readable === 'boolean') return readable
  const row = await store.get?.({ id: rowIdOf(ctx), where: readable })
  return row !== null && row !== undefined
}
