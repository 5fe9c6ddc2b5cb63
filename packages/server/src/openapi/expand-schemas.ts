import { expandableOf, type Resource } from '../define/resource.ts'
import type { Relation, RelationTarget } from '../define/relation.ts'
import { MAX_EXPAND } from '../resource/expand.ts'
import { isRecord, toJsonSchema, type JsonSchema } from '../schema/json-schema.ts'
import type { Parameter } from './parameters.ts'
import { capitalize } from './resource-noun.ts'
import type { SchemaRegistry } from './schema-registry.ts'

/** Returns the `expand` parameter of a resource, or an empty array if it has nothing to expand. */
export function expandParameters(resource: Resource): Parameter[] {
  const names = expandableOf(resource)
  if (names.length === 0) return []
  return [
    {
      name: 'expand',
      in: 'query',
      required: false,
      description: 'The relations and computed values to add to each item, separated by commas.',
      style: 'form',
      explode: false,
      schema: {
        type: 'array',
        maxItems: Math.min(MAX_EXPAND, names.length),
        uniqueItems: true,
        items: { type: 'string', enum: names },
      },
    },
  ]
}

interface ExpandedItem {
  readonly resource: Resource
  /** The name under which the item's schema is registered. */
  readonly name: string
  readonly item: JsonSchema
  /** Returns a reference to the item schema of a related resource. */
  itemOf(target: RelationTarget): JsonSchema
}

/**
 * Registers the schema of an item that includes the expandable members, which are optional. Returns a reference to it,
 * or to the schema of the plain item if there are no such members.
 */
export function addExpandedItem(registry: SchemaRegistry, { resource, name, item, itemOf }: ExpandedItem): JsonSchema {
  const { definition, relations } = resource
  const computed = Object.entries(definition.computed ?? {}).map(([key, { output }]) => {
    const schema = toJsonSchema(output, 'output') ?? {}
    return [key, registry.inline(schema, registry.response, `${name}${capitalize(key)}`)]
  })
  const related = Object.entries(relations).map(([key, relation]) => [key, toRelatedSchema(relation, itemOf)])
  const whole = registry.schemas[name]
  if (computed.length + related.length === 0 || whole === undefined) return item
  const { properties, ...rest } = whole
  const members = {
    ...(isRecord(properties) && properties),
    ...(Object.fromEntries([...computed, ...related]) as JsonSchema),
  }
  return registry.add({ ...rest, properties: members }, registry.response, `${name}Expanded`)
}

function toRelatedSchema({ kind, target, limit, isOfEveryone }: Relation, itemOf: ExpandedItem['itemOf']): JsonSchema {
  if (kind === 'exists') return { type: 'boolean' }
  if (kind === 'one') return { anyOf: [itemOf(target), { type: 'null' }] }
  if (kind === 'many') return { type: 'array', maxItems: limit, items: itemOf(target) }
  const type = isOfEveryone ? 'integer' : ['integer', 'null']
  return { type, minimum: 0, maximum: Math.min(limit, Number.MAX_SAFE_INTEGER) }
}
