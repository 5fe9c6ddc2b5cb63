import type { ResourceAction } from '../define/resource-definition.ts'
import type { ErrorDetail } from '@sdk/protocol'
import type { Context } from '../context/context.ts'
import { validationError } from '../http/http-error.ts'
import type { AssignRequest } from '../define/resource.ts'
import { getUser } from './access.ts'
import { toStoredValue } from './stored-value.ts'
import { toMemberValues } from './member-values.ts'
import { toCandidate, type ResourceRequest, type ResourceRuntime } from './resource-runtime.ts'
import type { Fields, Row } from '../define/store.ts'
import { issueFieldOf, validateCandidate, type ValidatedCandidate } from './values.ts'

/** What a caller wants, before the definition sets its own fields. */
export interface AssignTarget {
  readonly action: ResourceAction
  readonly candidate: Fields
  /** The row that changes; null: it is new. */
  readonly row: Row | null
  /** Does a field stay as the row has it? */
  isUnchanged(name: string): boolean
}

/** What is set, and the whole with it, as the schema judges it. */
export interface AssignResult {
  readonly assigned: Fields
  readonly validated: ValidatedCandidate
}

/** Lets the definition set its own fields. In a row that is there they stay as they are. */
export async function assign(
  parts: ResourceRuntime,
  call: ResourceRequest,
  wanted: AssignTarget,
): Promise<AssignResult> {
  const { candidate, row } = wanted
  const first = await validateCandidate(parts.resource, candidate)
  if (parts.resource.definition.assign === undefined) return { assigned: NO_FIELDS, validated: first }
  const assigned = await callAssign(parts, call, { ...wanted, judged: first })
  const fixed = Object.entries(toCandidate(parts, row ?? assigned)).filter(
    ([name, value]) => Object.hasOwn(assigned, name) && candidate[name] !== value,
  )
  if (fixed.length === 0) return { assigned, validated: first }
  const whole = toCandidate(parts, candidate)
  for (const [name, value] of fixed) whole[name] = value
  return { assigned, validated: await validateCandidate(parts.resource, whole) }
}

const NO_FIELDS: Fields = {}

type ValidatedTarget = AssignTarget & { readonly judged: ValidatedCandidate }

async function callAssign(parts: ResourceRuntime, { ctx }: ResourceRequest, asked: ValidatedTarget): Promise<Fields> {
  const { definition } = parts.resource
  const values = await validValues(parts, asked.judged)
  let input: Fields | undefined
  const call: AssignRequest<'public'> = {
    user: await getUser(ctx),
    action: asked.action,
    ctx: ctx as unknown as Context,
    get input() {
      return (input ??= toAssignInput(parts, asked, values))
    },
  }
  const assigned: unknown = await definition.assign?.(call as never)
  if (typeof assigned !== 'object' || assigned === null)
    throw new TypeError('assign must give an object of values by field')
  return assigned as Fields
}

/** What the schema made; where it refuses some fields, of the others. */
async function validValues({ resource }: ResourceRuntime, { candidate, result }: ValidatedCandidate): Promise<Fields> {
  if (result.ok) return result.value as Fields
  const refused = new Set(result.details.map(issueFieldOf))
  const fields = resource.shape.fields.filter(({ name }) => !refused.has(name))
  return (await toMemberValues(resource.definition.schema, fields, candidate)) ?? candidate
}

/** The fields as they would be kept. One that is refused says so when it is read: `assign` may be what sets it. */
function toAssignInput(
  { resource }: ResourceRuntime,
  { candidate, judged, row, isUnchanged: isKept }: ValidatedTarget,
  values: Fields,
): Fields {
  const details = judged.result.ok ? [] : judged.result.details
  const faults: ErrorDetail[] = details.filter((detail) => !isKept(issueFieldOf(detail) ?? ''))
  const input: Record<string, unknown> = {}
  for (const field of resource.shape.fields) {
    const { name } = field
    const value = Object.hasOwn(values, name) ? values[name] : null
    input[name] = isKept(name) ? (row?.[name] ?? null) : toStoredValue(value, field, faults)
  }
  for (const refused of new Set(faults.map(issueFieldOf))) {
    if (refused === undefined) continue
    // Others that are missing may be those that are about to be set.
    const isTold = (field = refused): boolean => field === refused || Object.hasOwn(candidate, field)
    const get = (): never => {
      throw validationError(faults.filter((fault) => isTold(issueFieldOf(fault))))
    }
    // Whoever copies or logs the others does not read it.
    Object.defineProperty(input, refused, { enumerable: false, get })
  }
  return input
}
