import type { RequestLimits } from '../http/request-limits.ts'
import { toPointer } from '@sdk/protocol'
import { isRecord, type JsonSchema } from '../schema/json-schema.ts'
import { mapSubschemas } from '../schema/subschemas.ts'
import { toWireSchema, type SchemaContext } from '../schema/wire-schema.ts'

/** Both are the same for all schemas of a document. */
export interface SchemaOptions {
  readonly registry: SchemaRegistry
  readonly limits: Required<RequestLimits>
}

/**
 * The named schemas of the document. A recursive schema points to itself as `#` or `#/$defs/…`, which inside the document
 * would be another place.
 */
export class SchemaRegistry {
  readonly schemas: Record<string, JsonSchema> = {}

  /** Registers a schema under this name; returns a pointer to it. */
  put(schema: JsonSchema, context: SchemaContext, name: string): JsonSchema {
    const root = this.inline(schema, context, name)
    if ('$ref' in root) return root
    this.schemas[name] = root
    return { $ref: toRef(name) }
  }

  /** Does the same for a schema that points to registered ones. */
  add(schema: JsonSchema, context: SchemaContext, name: string): JsonSchema {
    this.schemas[name] = toWireSchema(schema, context)
    return { $ref: toRef(name) }
  }

  /** Returns the schema itself; registers only the schemas it points to, under names that begin so. */
  inline(schema: JsonSchema, context: SchemaContext, name: string): JsonSchema {
    const { root, named, parts } = rewire(schema, name)
    for (const [key, def] of named) this.schemas[key] = toWireSchema(def, context, parts.has(key))
    return toWireSchema(root, context)
  }
}

interface Rewired {
  readonly root: JsonSchema
  /** The schemas that are pointed to, by their new names. */
  readonly named: ReadonlyMap<string, JsonSchema>
  /** Those among them that are part of a larger object somewhere, and so cannot be closed. */
  readonly parts: ReadonlySet<string>
}

function rewire({ $defs, ...root }: JsonSchema, name: string): Rewired {
  const targets = targetsOf(root, $defs, name)
  const named = new Map<string, JsonSchema>()
  const parts = new Set<string>()
  const visit = (schema: JsonSchema, keyword: string): JsonSchema => {
    const { $ref, ...others } = mapSubschemas(schema, visit)
    if (typeof $ref !== 'string') return others
    if (!$ref.startsWith('#')) return { $ref, ...others }
    const target = targets.get($ref)
    // A place with no name of its own: to say nothing is better than to point at something else.
    if (target === undefined) return others
    if (keyword === 'allOf') parts.add(target.name)
    if (!named.has(target.name)) {
      // Known before it is visited, or a schema that points to itself would be visited for ever.
      named.set(target.name, {})
      named.set(target.name, visit(target.schema, ''))
    }
    return { ...others, $ref: toRef(target.name) }
  }
  const wired = visit(root, '')
  return { root: named.has(name) ? { $ref: toRef(name) } : wired, named, parts }
}

type Targets = ReadonlyMap<string, { readonly name: string; readonly schema: JsonSchema }>

/** What can be pointed to. Numbered, because the names that libraries give are not the same in every run. */
function targetsOf(root: JsonSchema, $defs: unknown, name: string): Targets {
  const defs = isRecord($defs) ? Object.entries($defs) : []
  return new Map([
    ['#', { name, schema: root }],
    ...defs.map(([key, def], index) => {
      const schema = isRecord(def) ? def : {}
      return [`#/$defs${toPointer([key])}`, { name: `${name}${index + 1}`, schema }] as const
    }),
  ])
}

function toRef(name: string): string {
  return `#/components/schemas/${name}`
}
