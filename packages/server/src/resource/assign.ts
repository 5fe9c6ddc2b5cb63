import type { ResourceAction } from '../define/resource-definition.ts'
import type { ErrorDetail } from '@sdk/protocol'
import type { Context } from '../context/context.ts'
import { validationError } from '../http/http-error.ts'
import type { AssignRequest } from '../define/resource.ts'
import { toStoredValue } from './field-value.ts'
import { toCandidate, type ResourceRequest, type ResourceRuntime } from './resource-runtime.ts'
import type { Fields } from '../define/store.ts'
import {
  issueFieldOf,
  toMemberValues,
  validateCandidate,
  type SubmittedValues,
  type ValidatedCandidate,
} from './values.ts'

interface AssignTarget extends Pick<SubmittedValues, 'row' | 'isUnchanged'> {
  readonly action: ResourceAction
  readonly candidate: Fields
}

/**
 * Calls the definition's `assign` and validates the candidate with the assigned fields. In an existing row, the
 * assigned fields keep their values.
 */
export async function assign(
  runtime: ResourceRuntime,
  call: ResourceRequest,
  target: AssignTarget,
): Promise<{ assigned: Fields; validated: ValidatedCandidate }> {
  const { candidate, row } = target
  const first = await validateCandidate(runtime.resource, candidate)
  if (runtime.resource.definition.assign === undefined) return { assigned: {}, validated: first }
  const assigned = await callAssign(runtime, call, { ...target, validated: first })
  const fixed = Object.entries(toCandidate(runtime, row ?? assigned)).filter(
    ([name, value]) => Object.hasOwn(assigned, name) && candidate[name] !== value,
  )
  if (fixed.length === 0) return { assigned, validated: first }
  const whole = toCandidate(runtime, candidate)
  for (const [name, value] of fixed) whole[name] = value
  return { assigned, validated: await validateCandidate(runtime.resource, whole) }
}

type ValidatedTarget = AssignTarget & { readonly validated: ValidatedCandidate }

async function callAssign(
  runtime: ResourceRuntime,
  { ctx }: ResourceRequest,
  target: ValidatedTarget,
): Promise<Fields> {
  const values = await validValues(runtime, target.validated)
  let input: Fields | undefined
  const call: AssignRequest<'public'> = {
    user: (await ctx.auth?.getUser()) ?? null,
    action: target.action,
    ctx: ctx as unknown as Context,
    get input() {
      return (input ??= toAssignInput(runtime, target, values))
    },
  }
  const assigned: unknown = await runtime.resource.definition.assign?.(call as never)
  if (typeof assigned !== 'object' || assigned === null)
    throw new TypeError('assign must return an object of field values')
  return assigned as Fields
}

/** Returns the schema's output. If the schema rejects some fields, returns the values of the other fields. */
async function validValues({ resource }: ResourceRuntime, { candidate, result }: ValidatedCandidate): Promise<Fields> {
  if (result.ok) return result.value as Fields
  const refused = new Set(result.details.map(issueFieldOf))
  const fields = resource.shape.fields.filter(({ name }) => !refused.has(name))
  return (await toMemberValues(resource.definition.schema, fields, candidate)) ?? candidate
}

/**
 * Returns the fields as they would be stored. A rejected field throws only when it is read, because `assign` may set it
 * itself.
 */
function toAssignInput(
  { resource }: ResourceRuntime,
  { candidate, validated, row, isUnchanged }: ValidatedTarget,
  values: Fields,
): Fields {
  const details = validated.result.ok ? [] : validated.result.details
  const issues: ErrorDetail[] = details.filter((detail) => !isUnchanged(issueFieldOf(detail) ?? ''))
  const input: Record<string, unknown> = {}
  for (const field of resource.shape.fields) {
    const { name } = field
    const value = Object.hasOwn(values, name) ? values[name] : null
    input[name] = isUnchanged(name) ? (row?.[name] ?? null) : toStoredValue(value, field, issues)
  }
  for (const refused of new Set(issues.map(issueFieldOf))) {
    if (refused === undefined) continue
    // Omits issues for other missing fields, because `assign` may set those fields.
    const isTold = (field = refused): boolean => field === refused || Object.hasOwn(candidate, field)
    const get = (): never => {
      throw validationError(issues.filter((issue) => isTold(issueFieldOf(issue))))
    }
    // Not enumerable, so that copying or logging the input does not throw.
    Object.defineProperty(input, refused, { enumerable: false, get })
  }
  return input
}
