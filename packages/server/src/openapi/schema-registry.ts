import { REQUEST_LIMITS, type RequestLimits } from '../http/request-limits.ts'
import { toPointer } from '@sdk/protocol'
import { isRecord, type JsonSchema } from '../schema/json-schema.ts'
import { mapSubschemas } from '../schema/subschemas.ts'
import { RESPONSE_CONTEXT, toWireSchema, type SchemaContext } from '../schema/wire-schema.ts'

/** Options shared by all schemas in a document. */
export interface SchemaOptions {
  readonly registry: SchemaRegistry
  readonly limits: Required<RequestLimits>
}

/**
 * The named schemas in the document. The registry rewrites self-references in recursive schemas (`#` or `#/$defs/…`),
 * which would otherwise refer to a different location in the document.
 */
export class SchemaRegistry {
  readonly schemas: Record<string, JsonSchema> = {}
  /** The context of schemas in responses. */
  readonly response: SchemaContext

  /** Without implicit limits in requests, as for tools, schemas in responses have none either. */
  constructor({ body }: { readonly body: number } = REQUEST_LIMITS) {
    this.response = Number.isFinite(body) ? RESPONSE_CONTEXT : { ...RESPONSE_CONTEXT, size: body }
  }

  /** Registers a schema under this name and returns a reference to it. */
  put(schema: JsonSchema, context: SchemaContext, name: string): JsonSchema {
    const root = this.inline(schema, context, name)
    if ('$ref' in root) return root
    this.schemas[name] = root
    return { $ref: toRef(name) }
  }

  /** Registers a schema that refers to registered ones, and returns a reference to it. */
  add(schema: JsonSchema, context: SchemaContext, name: string): JsonSchema {
    this.schemas[name] = toWireSchema(schema, context)
    return { $ref: toRef(name) }
  }

  /** Returns the schema itself. Registers only the schemas that it references, with `name` as a prefix. */
  inline(schema: JsonSchema, context: SchemaContext, name: string): JsonSchema {
    const { root, named, parts } = rewire(schema, name)
    for (const [key, def] of named) this.schemas[key] = toWireSchema(def, context, parts.has(key))
    return toWireSchema(root, context)
  }
}

interface Rewired {
  readonly root: JsonSchema
  /** The referenced schemas, by their new names. */
  readonly named: ReadonlyMap<string, JsonSchema>
  /** The names of schemas that are used in `allOf` and therefore cannot disallow additional properties. */
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
    // The target has no name: drop the reference instead of referring to the wrong schema.
    if (target === undefined) return others
    if (keyword === 'allOf') parts.add(target.name)
    if (!named.has(target.name)) {
      // Set before the visit, to avoid infinite recursion in recursive schemas.
      named.set(target.name, {})
      named.set(target.name, visit(target.schema, ''))
    }
    return { ...others, $ref: toRef(target.name) }
  }
  const wired = visit(root, '')
  return { root: named.has(name) ? { $ref: toRef(name) } : wired, named, parts }
}

type Targets = ReadonlyMap<string, { readonly name: string; readonly schema: JsonSchema }>

/** Returns the possible reference targets. Their names are numbered: library-generated names vary between runs. */
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
