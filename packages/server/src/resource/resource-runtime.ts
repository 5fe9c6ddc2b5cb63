import { errorFields } from '../log/log.ts'
import type { Context, RequestContext } from '../context/context.ts'
import type { EndpointTools } from '../endpoint/endpoint.ts'
import type { KeyedRequest } from '../idempotency/idempotency.ts'
import { expandableOf, type Resource } from '../define/resource.ts'
import { createEtags, type ToEtag } from './etag.ts'
import { createListEtags, type RowPage } from './page.ts'
import { acceptsNullMember } from '../define/resource-fields.ts'
import { assertReferences, type References } from './references.ts'
import { createItemMapper, createRowSerializer } from './serialize-row.ts'
import { createListQueryParser, type ListRequest } from './list-query.ts'
import type { Fields, Row, Where } from '../define/store.ts'
import { createRowLock, type WithRowLock } from './row-lock.ts'

/** The state and functions shared by a resource's routes. */
export interface ResourceRuntime {
  readonly resource: Resource
  /** The path of the list, such as `/api/v1/tasks`. */
  readonly path: string
  /** Converts a row to the item sent to callers: the declared fields and the system fields. */
  toItem(row: Row): Record<string, unknown>
  /** Serializes a row's item to JSON. */
  serializeRow(row: Row): string
  readonly toEtag: ToEtag
  toListEtag(page: RowPage): string
  parseListQuery(query: Readonly<Record<string, string>>): ListRequest
  /** The names of the relations and computed values. */
  readonly expandable: readonly string[]
  readonly fieldNames: ReadonlySet<string>
  /** The optional fields whose schema does not accept `null`: they are omitted instead. */
  readonly omitted: ReadonlySet<string>
  /** Whether any field has the same name as a member of `Object.prototype`, such as `constructor`. */
  readonly hasOddNames: boolean
  readonly withRowLock: WithRowLock
  /** The resources that fields refer to. */
  readonly references: References
}

/** A request to one of a resource's routes, after the access check. */
export interface ResourceRequest {
  readonly ctx: RequestContext
  readonly tools: EndpointTools
  /** The condition for the rows that the caller may access with this action. */
  readonly where: Where
  /** The parsed body, or undefined if the body is empty. */
  readonly body: unknown
  /** The request as it was sent, if it has an `Idempotency-Key`. */
  readonly keyed: KeyedRequest | null
}

/** Creates the runtime for a resource at a path. */
export function createResourceRuntime(
  resource: Resource,
  path: string,
  references: References = new Map(),
): ResourceRuntime {
  const { fieldSchema, shape } = resource
  const expandable = expandableOf(resource)
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
    parseListQuery: createListQueryParser(shape, expandable),
    expandable,
    withRowLock: createRowLock(),
    references,
    fieldNames: new Set(fieldNames),
    omitted: new Set(shape.fields.filter(isOmitted).map(({ name }) => name)),
    hasOddNames: fieldNames.some((name) => name in Object.prototype),
  }
}

/** Returns only the values of the resource's fields. */
export function pickFields({ fieldNames, hasOddNames }: ResourceRuntime, from: Fields): Record<string, unknown> {
  // A schema would otherwise read the inherited `constructor`. Objects without a prototype avoid that, but are slower.
  const picked = hasOddNames ? (Object.create(null) as Record<string, unknown>) : {}
  for (const name of fieldNames) if (Object.hasOwn(from, name)) picked[name] = from[name]
  return picked
}

/**
 * Returns the resource's fields from these values, as input for the schema. Omits null if a field's schema does not
 * accept it, so that values read from the API can be sent back.
 */
export function toCandidate(runtime: ResourceRuntime, from: Fields): Record<string, unknown> {
  const candidate = pickFields(runtime, from)
  for (const name of runtime.omitted) if (candidate[name] === null) delete candidate[name]
  return candidate
}

/** Checks the references of values about to be stored, and runs the definition's `check` on them. */
export async function runCheck(
  runtime: ResourceRuntime,
  ctx: RequestContext,
  { values, before }: { values: Fields; before: Row | null },
): Promise<void> {
  const { check } = runtime.resource.definition
  await assertReferences(runtime.references, ctx, { values, before })
  if (check === undefined) return
  const item = before && runtime.toItem(before)
  await check(pickFields(runtime, values) as never, ctx as unknown as Context, item as never)
}

/** A change of a row. */
export type RowChange =
  | { readonly event: 'created' | 'deleted'; readonly row: Row }
  | { readonly event: 'updated'; readonly row: Row; readonly before: Row }

/**
 * Calls the `on` hook for a stored change without awaiting it. In a transaction, this happens after the commit. Errors
 * in the hook do not affect the change or the response.
 */
export function emitChange({ resource, toItem }: ResourceRuntime, ctx: RequestContext, change: RowChange): void {
  const { on = {} } = resource.definition
  const listener = on[change.event] as ((item: unknown, ctx: Context, before?: unknown) => unknown) | undefined
  if (listener === undefined) return
  const before = 'before' in change ? [toItem(change.before)] : []
  const work = async (): Promise<unknown> => listener(toItem(change.row), ctx as unknown as Context, ...before)
  const emit = (): void =>
    ctx.waitUntil(
      work().catch((error: unknown) => {
        ctx.log.error(`the on.${change.event} hook of ${resource.name} failed; the change was kept`, errorFields(error))
      }),
    )
  const transaction = resource.store.currentTransaction?.() ?? null
  if (transaction === null) emit()
  else transaction.afterCommit(emit)
}
