import { isRecord, type JsonSchema } from '../schema/json-schema.ts'
import { acceptsNullMember, memberSchemaOf } from '../define/resource-fields.ts'
import type { Fields } from '../define/store.ts'

/** Applies a merge patch (RFC 7396). `null` removes a member, or sets it to null if its schema accepts null. */
export function mergePatch(
  target: Fields,
  patch: Fields,
  { schema, root }: { schema: unknown; root: JsonSchema },
): Fields {
  const merged: Record<string, unknown> = { ...target }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) {
      if (acceptsNullMember(schema, name, root)) merged[name] = null
      else delete merged[name]
    } else if (isRecord(value)) {
      const before = Object.hasOwn(merged, name) ? merged[name] : null
      const inner = { schema: memberSchemaOf(schema, name, root), root }
      merged[name] = mergePatch(isRecord(before) ? before : {}, value, inner)
    } else {
      merged[name] = value
    }
  }
  return merged
}
