import { isApiError } from '@sdk/protocol'
import type { Context, RequestContext } from '../context/context.ts'
import type { AnyResourceDefinition, ResourceAccess, ResourceAction } from '../define/resource-definition.ts'
import type { Scalar, Where } from '../define/store.ts'
import { isScalar } from './sort-order.ts'

/** The condition that all rows match. */
export const ALL_ROWS: Where = {}

/** Returns a condition for the rows that a caller may access, or null if access is denied. */
export async function findAccess(
  access: ResourceAccess,
  action: ResourceAction,
  ctx: RequestContext,
): Promise<Where | null> {
  if (access === 'public') return ALL_ROWS
  const rule = await access({ user: (await ctx.auth?.getUser()) ?? null, action, ctx: ctx as unknown as Context })
  if (rule === true) return ALL_ROWS
  return rule === false ? null : assertWhere(rule)
}

/** A function that returns a condition for the rows of a related resource, or null if access is denied. */
export type FindAccess = (
  definition: Pick<AnyResourceDefinition, 'access'>,
  action: ResourceAction,
) => Promise<Where | null>

/** Creates a function that evaluates the access rules of related resources. Each rule runs once per action. */
export function createAccessLookup(ctx: RequestContext): FindAccess {
  const known = new Map<ResourceAccess, Map<ResourceAction, Promise<Where | null>>>()
  return ({ access }, action) => {
    const answers = known.get(access) ?? new Map<ResourceAction, Promise<Where | null>>()
    known.set(access, answers)
    const answer = answers.get(action) ?? findAccess(access, action, ctx).catch(denyIfRefused)
    answers.set(action, answer)
    return answer
  }
}

/** Treats a rule that throws 401 or 403 as a denial, so that the request itself does not fail. */
function denyIfRefused(error: unknown): null {
  if (isApiError(error) && (error.status === 401 || error.status === 403)) return null
  throw error
}

/** Returns the condition for rows that match both a rule and the field values that `existsIn` looks for. */
export function intersectWhere(rule: Where, wanted: unknown, name: string): Where {
  const both: Record<string, Where[string]> = { ...rule }
  for (const [field, value] of Object.entries(assertWhere(wanted, name))) {
    const other = rule[field]
    if (other === undefined) both[field] = value
    else if (other !== value) both[field] = listOf(other).filter((one) => listOf(value).includes(one))
  }
  return both
}

function listOf(value: Where[string]): readonly Scalar[] {
  return value === null ? [] : typeof value === 'object' ? value : [value]
}

/** Validates the result of an access rule, so that a missing value does not grant access to all rows. */
function assertWhere(rule: unknown, subject = 'access'): Where {
  const prototype: unknown = typeof rule === 'object' && rule !== null ? Object.getPrototypeOf(rule) : undefined
  // Only plain objects are valid: a Map's entries would be ignored, and a rule without conditions allows every row.
  if (typeof rule !== 'object' || rule === null || (prototype !== null && prototype !== Object.prototype))
    throw new TypeError(
      `${subject} must return ${subject === 'access' ? 'true, false or ' : ''}an object of field values, got ${typeNameOf(rule)}`,
    )
  for (const [name, value] of Object.entries(rule)) {
    const isRight = Array.isArray(value) ? value.every(isScalar) : value === null || isScalar(value)
    if (!isRight)
      throw new TypeError(`${subject} must return a string, number, boolean, null or an array of these for ${name}`)
  }
  return rule as Where
}

function typeNameOf(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? Object.prototype.toString.call(value).slice(8, -1)
    : String(value)
}
