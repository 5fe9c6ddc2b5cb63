import type { RequestLimits } from '../http/request-limits.ts'
import { PAGE_LIMIT } from '@sdk/protocol'
import type { Resource } from '../define/resource.ts'
import type { ResourceKey } from '../define/resource-key.ts'
import { memberSchemaOf, SYSTEM_FIELDS } from '../define/resource-fields.ts'
import { operatorsOf } from '../resource/list-query.ts'
import type { Field, FieldType } from '../define/store.ts'
import { isRecord, type JsonSchema } from '../schema/json-schema.ts'
import { expandParameters } from './expand-schemas.ts'
import { TIMESTAMP_INPUT_SCHEMA, DATE_SCHEMA } from './moment-schema.ts'
import type { Parameter } from './parameters.ts'
import { toWireSchema } from '../schema/wire-schema.ts'

/** Returns the query parameters of a resource's list route. */
export function listParameters(resource: Resource, { target }: Required<RequestLimits>): Parameter[] {
  const { shape } = resource
  const known = new Map([...shape.fields, ...SYSTEM_FIELDS].map((field) => [field.name, field]))
  const filters = shape.filter.flatMap((name) => filterParameters(known.get(name), resource))
  const own = [LIMIT_PARAMETER, CURSOR_PARAMETER, sortOf(shape.sort), COUNT_PARAMETER, ...expandParameters(resource)]
  return [...own, ...filters].map((parameter) => ({
    ...parameter,
    schema: toWireSchema(parameter.schema, { side: 'request', size: target }),
  }))
}

/** Returns the path parameters of a resource's key. */
export function keyParameters({ fields }: ResourceKey, resource: Resource): Parameter[] {
  return fields.map((field) => ({ name: field.name, in: 'path', required: true, schema: exactOf(field, resource) }))
}

function toQueryParameter(name: string, description: string, schema: JsonSchema): Parameter {
  return { name, in: 'query', required: false, description, schema }
}

const LIMIT_PARAMETER = toQueryParameter(
  'limit',
  `The maximum number of items per page. Default: ${PAGE_LIMIT.default}.`,
  { type: 'integer', minimum: 1, maximum: PAGE_LIMIT.max },
)

const CURSOR_PARAMETER = toQueryParameter(
  'cursor',
  'The position to continue from: the `nextCursor` or `prevCursor` of another page of the same list.',
  { type: 'string', minLength: 1, pattern: '^[A-Za-z0-9_-]+$' },
)

const COUNT_DESCRIPTION = 'Whether the response includes the total number of items in the list.'
const COUNT_PARAMETER = toQueryParameter('count', COUNT_DESCRIPTION, { type: 'boolean' })

function sortOf(sort: readonly string[]): Parameter {
  const names = Array.from(new Set(['id', ...sort]))
  const key = `-?(?:${names.join('|')})`
  const longest = Math.max(...names.map(({ length }) => length)) + 1
  const description =
    `Up to three comma-separated fields, in order of priority: ${names.join(', ')}. ` +
    'A `-` prefix sorts in descending order. Default: id.'
  return toQueryParameter('sort', description, {
    type: 'string',
    minLength: 1,
    maxLength: 3 * longest + 2,
    pattern: `^${key}(?:,${key}){0,2}$`,
  })
}

function filterParameters(field: Field | undefined, resource: Resource): Parameter[] {
  if (field === undefined) return []
  const { name } = field
  const exact = exactOf(field, resource)
  return [
    toQueryParameter(name, `Returns only items whose ${name} equals this value.`, exact),
    ...operatorsOf(field).map((operator) => ({
      in: 'query' as const,
      required: false,
      name: `${name}[${operator}]`,
      ...FILTERS[operator](field, exact),
    })),
  ]
}

type ToFilter = (field: Field, exact: JsonSchema) => Omit<Parameter, 'name' | 'in' | 'required'>

const FILTERS: Record<ReturnType<typeof operatorsOf>[number], ToFilter> = {
  ne: ({ name }, schema) => ({ description: `Returns only items whose ${name} does not equal this value.`, schema }),
  gt: toComparison('is greater than this value'),
  gte: toComparison('is at least this value'),
  lt: toComparison('is less than this value'),
  lte: toComparison('is at most this value'),
  in: ({ name }, items) => ({
    description: `Returns only items whose ${name} is one of these comma-separated values.`,
    style: 'form',
    explode: false,
    schema: { type: 'array', minItems: 1, maxItems: 100, items },
  }),
  null: ({ name }) => ({
    description: `\`true\` returns only items without ${name}, and \`false\` only items with ${name}.`,
    schema: { type: 'boolean' },
  }),
}

function toComparison(what: string): ToFilter {
  return ({ name, type }) => ({
    description: `Returns only items whose ${name} ${what}.`,
    schema: FIELD_TYPE_SCHEMAS[type],
  })
}

/** Returns the schema for values that a field is compared with, including the field's enum. */
function exactOf({ name, type }: Field, { fieldSchema }: Resource): JsonSchema {
  const schema = memberSchemaOf(fieldSchema.output, name, fieldSchema.output)
  const values = isRecord(schema) && type === 'string' ? schema['enum'] : undefined
  return Array.isArray(values) ? { ...FIELD_TYPE_SCHEMAS[type], enum: values as unknown[] } : FIELD_TYPE_SCHEMAS[type]
}

const FIELD_TYPE_SCHEMAS: Readonly<Record<FieldType, JsonSchema>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  timestamp: TIMESTAMP_INPUT_SCHEMA,
  date: DATE_SCHEMA,
  // JSON fields cannot be used as filters.
  json: {},
}
