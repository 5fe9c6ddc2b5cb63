import type { RequestContext } from '../context/context.ts'
import type { EndpointTools } from '../endpoint/endpoint.ts'
import type { Resource } from '../define/resource.ts'
import { createEtags, type ToEtag } from './etag.ts'
import { createListEtags, type ToListEtag } from './page.ts'
import { acceptsNullMember } from '../define/resource-fields.ts'
import { createItemMapper, createRowSerializer, type ToItem, type SerializeRow } from './serialize-row.ts'
import { createListQueryParser, type ParseListQuery } from './list-query.ts'
import type { Fields, Where } from '../define/store.ts'
import { createRowLock, type WithRowLock } from './row-lock.ts'

/** What the routes of one resource work with. */
export interface ResourceRuntime {
  readonly resource: Resource
  /** Of the list, such as `/api/v1/tasks`. */
  readonly path: string
  readonly toItem: ToItem
  readonly serializeRow: SerializeRow
  readonly toEtag: ToEtag
  readonly toListEtag: ToListEtag
  readonly parseListQuery: ParseListQuery
  /** The names of the fields. */
  readonly fieldNames: ReadonlySet<string>
  /** The optional fields whose schema does not take `null`: they are left out instead. */
  readonly omitted: ReadonlySet<string>
  /** Is a field called as something that every object has, such as `constructor`? */
  readonly hasOddNames: boolean
  readonly withRowLock: WithRowLock
}

/** A call of one of them, once it may be answered. */
export interface ResourceRequest {
  readonly ctx: RequestContext
  readonly tools: EndpointTools
  /** The rows that the caller may do this to. */
  readonly where: Where
  /** Undefined: nothing was sent. */
  readonly body: unknown
}

/** The parts of a resource at a path. */
export function createResourceRuntime(resource: Resource, path: string): ResourceRuntime {
  const { fieldSchema, shape } = resource
  const fieldNames = shape.fields.map(({ name }) => name)
  const isOmitted = ({ name, isNullable }: (typeof shape.fields)[number]): boolean =>
    isNullable && !acceptsNullMember(fieldSchema.input, name, fieldSchema.input)
  return {
    resource,
    path,
    toItem: createItemMapper(resource),
    serializeRow: createRowSerializer(resource),
    toEtag: createEtags(shape),
    toListEtag: createListEtags(shape),
    parseListQuery: createListQueryParser(shape),
    withRowLock: createRowLock(),
    fieldNames: new Set(fieldNames),
    omitted: new Set(shape.fields.filter(isOmitted).map(({ name }) => name)),
    hasOddNames: fieldNames.some((name) => name in Object.prototype),
  }
}

/** Only the fields of the resource. */
export function pickFields({ fieldNames, hasOddNames }: ResourceRuntime, from: Fields): Record<string, unknown> {
  // A schema would find the `constructor` of every object; objects without any are slower.
  const picked = hasOddNames ? (Object.create(null) as Record<string, unknown>) : {}
  for (const name of fieldNames) if (Object.hasOwn(from, name)) picked[name] = from[name]
  return picked
}

/** The fields among these values, as the schema wants them: what was read can be sent back. */
export function toCandidate(runtime: ResourceRuntime, from: Fields): Record<string, unknown> {
  const candidate = pickFields(runtime, from)
  for (const name of runtime.omitted) if (candidate[name] === null) delete candidate[name]
  return candidate
}
