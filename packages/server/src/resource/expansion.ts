import { validateOrThrow } from '../http/body.ts'
import type { Context, RequestContext } from '../context/context.ts'
import type { Relation } from '../define/relation.ts'
import type { ComputedValue } from '../define/resource-definition.ts'
import type { RelatedQuery, RelatedValue, Row } from '../define/store.ts'
import type { RelatedQueries } from './add-related.ts'
import { ALL_ROWS, createAccessLookup, intersectWhere, type FindAccess } from './access-rule.ts'
import type { ResourceRuntime } from './resource-runtime.ts'
import { rowBytesOf } from './row-bytes.ts'
import { createRowSerializer } from './serialize-row.ts'

/** The relations and computed values that a request adds to rows. */
export interface Expansion extends RelatedQueries {
  /** Creates a serializer for the rows of a page. The rows must already contain the results of the queries. */
  createSerializer(rows: readonly Row[]): Promise<(row: Row) => string>
}

/** Prepares the expansion of rows. The access rule of each related resource is evaluated once. */
export async function prepareExpansion(
  runtime: ResourceRuntime,
  names: readonly string[],
  ctx: RequestContext,
): Promise<Expansion> {
  const { relations } = runtime.resource
  const findAccess = createAccessLookup(ctx)
  const related = names.flatMap((name) =>
    Object.hasOwn(relations, name) ? { name, ...(relations[name] as Relation) } : [],
  )
  const found = await Promise.all(related.map(async (relation) => toQuery(relation, ctx, findAccess)))
  const queries = found.filter((query) => query !== null)
  return {
    queries,
    rowBytes: related.reduce(
      (sum, { kind, limit, target }) => sum + relatedBytesOf(kind, limit, rowBytesOf(target.shape)),
      0,
    ),
    async createSerializer(rows) {
      const parts = await Promise.all(names.map((name) => createPart(runtime, { name, rows, ctx })))
      return (row) => `${runtime.serializeRow(row).slice(0, -1)}${parts.map((part) => part(row)).join('')}}`
    },
  }
}

/** Returns the query for a relation, or null if the caller may not see any of its rows. */
async function toQuery(
  { name, kind, target, key, field, sort, limit, ...relation }: Relation & { name: string },
  ctx: RequestContext,
  findAccess: FindAccess,
): Promise<RelatedQuery | null> {
  const { auth } = ctx
  if (relation.where !== null && auth === null) return null
  const action = kind === 'one' ? 'get' : 'list'
  const rule = relation.isOfEveryone ? ALL_ROWS : await findAccess(target.definition, action)
  if (rule === null) return null
  const wanted = auth && (await relation.where?.({ user: await auth.getUser(), ctx: ctx as unknown as Context }))
  const where = relation.where === null ? rule : intersectWhere(rule, wanted, name)
  return { name, kind, store: target.store, key, field, where, sort, limit }
}

function relatedBytesOf(kind: Relation['kind'], limit: number, rowBytes: number): number {
  return kind === 'one' || kind === 'many' ? limit * rowBytes : 0
}

/** Creates a function that serializes one member of a row, with its name. */
async function createPart(
  runtime: ResourceRuntime,
  { name, rows, ctx }: { name: string; rows: readonly Row[]; ctx: RequestContext },
): Promise<(row: Row) => string> {
  const head = `,"${name}":`
  const relation = runtime.resource.relations[name]
  if (relation !== undefined) {
    const toText = relation.target.representation?.toText ?? createRowSerializer(relation.target)
    return (row) => head + toRelatedText(row['~related']?.[name] ?? EMPTY_VALUES[relation.kind], toText)
  }
  const values = await loadComputed(runtime, { name, rows, ctx })
  return (row) => head + values.get(row)
}

/** The values of relations without visible rows. A count is null, since the caller may not list the rows. */
const EMPTY_VALUES: Record<Relation['kind'], RelatedValue> = { one: null, many: [], count: null, exists: false }

function toRelatedText(value: RelatedValue, toText: (row: Row) => string): string {
  if (value === null || typeof value !== 'object') return String(value)
  return 'id' in value ? toText(value) : `[${value.map(toText).join(',')}]`
}

/** Computes a value for each row and serializes it as JSON. */
async function loadComputed(
  { resource, toItem }: ResourceRuntime,
  { name, rows, ctx }: { name: string; rows: readonly Row[]; ctx: RequestContext },
): Promise<ReadonlyMap<Row, string>> {
  const { output, load } = (resource.definition.computed ?? {})[name] as ComputedValue<unknown, unknown>
  const values = rows.length === 0 ? [] : await load(rows.map(toItem), ctx as unknown as Context)
  if (!Array.isArray(values) || values.length !== rows.length)
    throw new TypeError(`computed.${name} of ${resource.name} must return an array with one value per row`)
  const texts = values.map(async (value: unknown) => {
    try {
      return JSON.stringify(await validateOrThrow(output, value, 'body')) ?? 'null'
    } catch (cause) {
      throw new Error(`computed.${name} of ${resource.name} returned a value that does not match its output schema`, {
        cause,
      })
    }
  })
  const made = await Promise.all(texts)
  return new Map(rows.map((row, at) => [row, made[at] ?? 'null']))
}
