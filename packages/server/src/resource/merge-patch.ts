import type { JsonSchema } from '../schema/json-schema.ts'
import { acceptsNullMember, memberSchemaOf } from '../define/resource-fields.ts'
import type { Fields } from '../define/store.ts'

interface SchemaNode {
  readonly schema: unknown
  readonly root: JsonSchema
}

/**
 * What a merge patch (RFC 7396) makes of a value. `null` takes a member away; where the schema knows `null` as a value,
 * the member has it then.
 */
export function mergePatch(target: Fields, patch: Fields, { schema, root }: SchemaNode): Fields {
  const merged: Record<string, unknown> = { ...target }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) {
      if (acceptsNullMember(schema, name, root)) merged[name] = null
      else delete merged[name]
    } else if (isObject(value)) {
      const before = Object.hasOwn(merged, name) ? merged[name] : null
      const inner = { schema: memberSchemaOf(schema, name, root), root }
      merged[name] = mergePatch(isObject(before) ? before : {}, value, inner)
    } else {
      merged[name] = value
    }
  }
  return merged
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
