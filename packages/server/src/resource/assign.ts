import type { ResourceAction } from '../define/resource-definition.ts'
import type { ErrorDetail } from '@sdk/protocol'
import type { Context } from '../context/context.ts'
import { refuseInvalid } from '../http/http-error.ts'
import type { AssignCall } from '../define/resource.ts'
import { userOf } from './access.ts'
import { toKept } from './stored-value.ts'
import { toMemberValues } from './member-values.ts'
import { toCandidate, type ResourceCall, type ResourceParts } from './resource-runtime.ts'
import type { Fields, Row } from '../define/store.ts'
import { fieldOf, judge, type Judged } from './values.ts'

/** What a caller wants, before the definition sets its own fields. */
export interface Wanted {
  readonly action: ResourceAction
  readonly candidate: Fields
  /** The row that changes; null: it is new. */
  readonly row: Row | null
  /** Does a field stay as the row has it? */
  isKept(name: string): boolean
}

/** What is set, and the whole with it, as the schema judges it. */
export interface Assigned {
  readonly assigned: Fields
  readonly judged: Judged
}

/** Lets the definition set its own fields. In a row that is there they stay as they are. */
export async function assign(parts: ResourceParts, call: ResourceCall, wanted: Wanted): Promise<Assigned> {
  const { candidate, row } = wanted
  const first = await judge(parts.resource, candidate)
  if (parts.resource.definition.assign === undefined) return { assigned: NOTHING, judged: first }
  const assigned = await ask(parts, call, { ...wanted, judged: first })
  const fixed = Object.entries(toCandidate(parts, row ?? assigned)).filter(
    ([name, value]) => Object.hasOwn(assigned, name) && candidate[name] !== value,
  )
  if (fixed.length === 0) return { assigned, judged: first }
  const whole = toCandidate(parts, candidate)
  for (const [name, value] of fixed) whole[name] = value
  return { assigned, judged: await judge(parts.resource, whole) }
}

const NOTHING: Fields = {}

type Asked = Wanted & { readonly judged: Judged }

async function ask(parts: ResourceParts, { ctx }: ResourceCall, asked: Asked): Promise<Fields> {
  const { definition } = parts.resource
  const values = await soundValues(parts, asked.judged)
  let input: Fields | undefined
  const call: AssignCall<'public'> = {
    user: await userOf(ctx),
    action: asked.action,
    ctx: ctx as unknown as Context,
    get input() {
      return (input ??= toInput(parts, asked, values))
    },
  }
  const assigned: unknown = await definition.assign?.(call as never)
  if (typeof assigned !== 'object' || assigned === null)
    throw new TypeError('assign must give an object of values by field')
  return assigned as Fields
}

/** What the schema made; where it refuses some fields, of the others. */
async function soundValues({ resource }: ResourceParts, { candidate, result }: Judged): Promise<Fields> {
  if (result.ok) return result.value as Fields
  const refused = new Set(result.details.map(fieldOf))
  const fields = resource.shape.fields.filter(({ name }) => !refused.has(name))
  return (await toMemberValues(resource.definition.schema, fields, candidate)) ?? candidate
}

/** The fields as they would be kept. One that is refused says so when it is read: `assign` may be what sets it. */
function toInput({ resource }: ResourceParts, { candidate, judged, row, isKept }: Asked, values: Fields): Fields {
  const details = judged.result.ok ? [] : judged.result.details
  const faults: ErrorDetail[] = details.filter((detail) => !isKept(fieldOf(detail) ?? ''))
  const input: Record<string, unknown> = {}
  for (const field of resource.shape.fields) {
    const { name } = field
    const value = Object.hasOwn(values, name) ? values[name] : null
    input[name] = isKept(name) ? (row?.[name] ?? null) : toKept(value, field, faults)
  }
  for (const refused of new Set(faults.map(fieldOf))) {
    if (refused === undefined) continue
    // Others that are missing may be those that are about to be set.
    const isTold = (field = refused): boolean => field === refused || Object.hasOwn(candidate, field)
    const get = (): never => {
      throw refuseInvalid(faults.filter((fault) => isTold(fieldOf(fault))))
    }
    // Whoever copies or logs the others does not read it.
    Object.defineProperty(input, refused, { enumerable: false, get })
  }
  return input
}
