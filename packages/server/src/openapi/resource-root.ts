import { isRecord, type JsonSchema } from '../schema/json-schema.ts'
import { mapSubschemas } from '../schema/subschemas.ts'

/** No library gives this name. */
const ROOT_NAME = '__whole'

/**
 * The same schema, whose pointers to itself lead to a copy among its definitions. Its members become members of a
 * larger object, and `#` would lead there.
 */
export function withNamedRoot(schema: JsonSchema): JsonSchema {
  if (!JSON.stringify(schema).includes('"$ref":"#"')) return schema
  const { $defs, ...root } = rename(schema)
  return { ...root, $defs: { ...(isRecord($defs) && $defs), [ROOT_NAME]: root } }
}

function rename(schema: JsonSchema): JsonSchema {
  const inner = mapSubschemas(schema, rename)
  return inner['$ref'] === '#' ? { ...inner, $ref: `#/$defs/${ROOT_NAME}` } : inner
}
