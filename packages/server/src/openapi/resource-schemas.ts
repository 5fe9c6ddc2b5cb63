import { PAGE_LIMIT } from '@sdk/protocol'
import type { RelationTarget } from '../define/relation.ts'
import type { Resource } from '../define/resource.ts'
import { keyNamesOf } from '../define/resource-key.ts'
import { memberSchemaOf } from '../define/resource-fields.ts'
import type { Field } from '../define/store.ts'
import { isRecord, type JsonSchema } from '../schema/json-schema.ts'
import { TIMESTAMP_INPUT_SCHEMA, DATE_SCHEMA, TIMESTAMP_SCHEMA } from './moment-schema.ts'
import { addExpandedItem } from './expand-schemas.ts'
import { toPatchSchema, withNull } from './patch-schema.ts'
import { capitalize, toSingular } from './resource-noun.ts'
import type { SchemaOptions } from './schema-registry.ts'
import { withNamedRoot } from '../schema/subschemas.ts'
import type { SchemaContext } from '../schema/wire-schema.ts'

/** References to a resource's schemas. */
export interface ResourceSchemas {
  readonly item: JsonSchema
  /** The item with the members that a request can expand. */
  readonly expanded: JsonSchema
  readonly page: JsonSchema
  /** The response to an update or a deletion. */
  readonly changed: JsonSchema
  readonly create: JsonSchema
  readonly replace: JsonSchema
  readonly update: JsonSchema
  /** The body of a `PUT` by key, in which the fields that the path contains are optional. */
  readonly put: JsonSchema
}

/** The schema of a row id. */
export const ID: JsonSchema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [1] }

/** Creates a function that registers a resource's schemas, once per resource, and returns references to them. */
export function createResourceSchemas({ registry, limits }: SchemaOptions): (resource: Resource) => ResourceSchemas {
  // The names of the common schemas.
  const taken = new Set(['Error', 'Problem', 'Pagination'])
  const items = new Map<RelationTarget, NamedItem>()
  const known = new Map<Resource, ResourceSchemas>()
  const body: SchemaContext = { side: 'request', size: limits.body }

  /** Registers the schema of a resource's items, which is the same with and without relations. */
  function itemOf(resource: RelationTarget): NamedItem {
    const found = items.get(resource.base ?? resource)
    if (found !== undefined) return found
    const noun = capitalize(toSingular(resource.name))
    const free = [noun, `${capitalize(resource.name)}Item`].find((one) => !taken.has(one))
    const name = free ?? `${noun}${taken.size}`
    taken.add(name)
    const item = {
      name,
      item: registry.put(resource.representation?.schema ?? toItemSchema(resource), registry.response, name),
    }
    items.set(resource.base ?? resource, item)
    return item
  }

  function make(resource: Resource): ResourceSchemas {
    const { name, item } = itemOf(resource)
    const input = toInputSchema(resource)
    let put: JsonSchema | undefined
    const expanded = addExpandedItem(registry, { resource, name, item, itemOf: (target) => itemOf(target).item })
    return {
      item,
      expanded,
      page: registry.add(toPageSchema(resource, expanded), registry.response, `${name}Page`),
      changed: resource.definition.access === 'public' ? item : { anyOf: [item, ONLY_ID] },
      create: registry.put(input, body, `${name}CreateInput`),
      replace: registry.put(withSystemFields(input), body, `${name}ReplaceInput`),
      update: registry.put(withSystemFields(toPatchSchema(input, input)), body, `${name}UpdateInput`),
      get put() {
        return (put ??= registry.put(
          withOptional(withSystemFields(input), keyNamesOf(resource.definition)),
          body,
          `${name}PutInput`,
        ))
      },
    }
  }

  return (resource) => {
    const schemas = known.get(resource) ?? make(resource)
    known.set(resource, schemas)
    return schemas
  }
}

/** A registered item: the name of its schema, and a reference to it. */
interface NamedItem {
  readonly name: string
  readonly item: JsonSchema
}

/** The schema of the response to a caller that may change a row but not read it. */
const ONLY_ID: JsonSchema = { type: 'object', required: ['id'], properties: { id: { ...ID, format: 'int64' } } }

function toItemSchema({ fieldSchema, definition }: RelationTarget): JsonSchema {
  const { fields } = fieldSchema
  const output = withNamedRoot(fieldSchema.output)
  const own = fields.map((field) => [field.name, shownOf(field, memberSchemaOf(output, field.name, output), output)])
  return {
    type: 'object',
    ...(definition.description !== undefined && { description: definition.description }),
    required: ['id', ...fields.map(({ name }) => name), 'createdAt', 'updatedAt'],
    properties: {
      id: { ...ID, readOnly: true },
      ...Object.fromEntries(own),
      createdAt: { ...TIMESTAMP_SCHEMA, readOnly: true },
      updatedAt: { ...TIMESTAMP_SCHEMA, readOnly: true, description: 'Increases with every change.' },
    },
    ...definitionsOf(output),
  }
}

/** Returns the schema of a field in responses. Dates and timestamps always have the same format. */
function shownOf(field: Field, schema: unknown, root: JsonSchema): JsonSchema {
  const known = isRecord(schema) ? schema : {}
  const { description } = known
  const extra = typeof description === 'string' ? { description } : {}
  const isMoment = field.type === 'timestamp' || field.type === 'date'
  const shown = isMoment ? { ...(field.type === 'date' ? DATE_SCHEMA : TIMESTAMP_SCHEMA), ...extra } : known
  return field.isNullable ? withNull(shown, root) : shown
}

function toPageSchema({ name }: Resource, item: JsonSchema): JsonSchema {
  return {
    type: 'object',
    description: `A page of ${name}, with cursors for the adjacent pages.`,
    required: ['data', 'pagination'],
    properties: {
      data: { type: 'array', maxItems: PAGE_LIMIT.max, items: item },
      pagination: { $ref: '#/components/schemas/Pagination' },
    },
  }
}

function toInputSchema({ fieldSchema }: Resource): JsonSchema {
  const { fields } = fieldSchema
  const input = withNamedRoot(fieldSchema.input)
  const { required } = input
  const properties = fields.flatMap((field) => {
    const schema = memberSchemaOf(input, field.name, input)
    if (schema === undefined) return []
    const sent = sentOf(field, schema)
    // Clients can send back a null that they received in a response.
    return [[field.name, field.isNullable ? withNull(sent, input) : sent]]
  })
  return {
    type: 'object',
    ...(Array.isArray(required) && required.length > 0 && { required: required as unknown[] }),
    properties: Object.fromEntries(properties) as JsonSchema,
    additionalProperties: false,
    ...definitionsOf(input),
  }
}

/** Returns the schema of a field in requests. Dates and timestamps without limits get the server's limits. */
function sentOf(field: Field, schema: unknown): JsonSchema {
  const known = isRecord(schema) ? schema : {}
  if (field.type !== 'timestamp' && field.type !== 'date') return known
  const { anyOf } = known
  if (Array.isArray(anyOf)) return { ...known, anyOf: anyOf.map((choice) => sentOf(field, choice)) }
  if (known['type'] !== 'string') return known
  const { maxLength, pattern, examples } = field.type === 'date' ? DATE_SCHEMA : TIMESTAMP_INPUT_SCHEMA
  return { maxLength, pattern, examples, ...known }
}

function withOptional({ required, ...schema }: JsonSchema, names: readonly string[]): JsonSchema {
  const left = Array.isArray(required) ? (required as string[]).filter((name) => !names.includes(name)) : []
  return { ...schema, ...(left.length > 0 && { required: left }) }
}

/** Adds the system fields, so that an item from a response can be sent back. */
function withSystemFields(schema: JsonSchema): JsonSchema {
  const { properties, ...others } = schema
  const own = (of: JsonSchema): JsonSchema => ({
    ...of,
    description: 'Cannot be changed: if sent, it must have its current value.',
  })
  return {
    ...others,
    properties: {
      id: own(ID),
      ...(isRecord(properties) && properties),
      createdAt: own(TIMESTAMP_SCHEMA),
      updatedAt: own(TIMESTAMP_SCHEMA),
    },
  }
}

function definitionsOf({ $defs }: JsonSchema): JsonSchema {
  return $defs === undefined ? {} : { $defs }
}
