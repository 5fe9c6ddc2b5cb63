import type { CallContext } from '../context.ts'
import type { EndpointTools } from '../http/endpoint.ts'
import type { Resource } from '../resource.ts'
import { createEtags, type ToEtag } from './etag.ts'
import { acceptsNull, memberOf } from './fields.ts'
import { createItems, type ToItem } from './item.ts'
import { createListQueryParser, type ParseListQuery } from './list-query.ts'
import type { Field, Fields, Store, Where } from './store.ts'
import { createTurns, type InTurn } from './turns.ts'
import { pickFields } from './values.ts'

/** What the routes of one resource work with. */
export interface ResourceParts {
  readonly resource: Resource
  /** Of the list, such as `/api/v1/tasks`. */
  readonly path: string
  readonly toItem: ToItem
  readonly toEtag: ToEtag
  readonly parseListQuery: ParseListQuery
  /** The fields that may have no value, but whose schema wants them left out then, and not `null`. */
  readonly omitted: ReadonlySet<string>
  readonly inTurn: InTurn
}

/** A call of one of them, once it may be answered. */
export interface ResourceCall {
  readonly ctx: CallContext
  readonly tools: EndpointTools
  /** The rows that the caller may do this to. */
  readonly where: Where
  /** Undefined: nothing was sent. */
  readonly body: unknown
}

/** A function that the store of this route is known to have. */
export type StoreFunction<Name extends keyof Store> = NonNullable<Store[Name]>

/** The parts of a resource at a path. */
export function createParts(resource: Resource, path: string): ResourceParts {
  const { facts, shape } = resource
  const isOmitted = ({ name, isNullable }: Field): boolean => {
    const member = memberOf(facts.input, name, facts.input)
    return isNullable && (member === undefined || !acceptsNull(member, facts.input))
  }
  return {
    resource,
    path,
    toItem: createItems(resource),
    toEtag: createEtags(shape),
    parseListQuery: createListQueryParser(shape),
    inTurn: createTurns(),
    omitted: new Set(shape.fields.filter(isOmitted).map(({ name }) => name)),
  }
}

/** The fields among these values, as the schema wants them: what was read can be sent back. */
export function toCandidate({ resource, omitted }: ResourceParts, from: Fields): Record<string, unknown> {
  const candidate = pickFields(resource, from)
  for (const name of omitted) if (candidate[name] === null) delete candidate[name]
  return candidate
}
