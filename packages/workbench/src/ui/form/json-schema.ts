/** A JSON Schema (2020-12), as returned by `GET /agent/{name}` and OpenAPI. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Returns whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the list for a keyword, or an empty list if it is missing. */
export function listOf(schema: JsonSchema, keyword: string): readonly unknown[] {
  const list = schema[keyword]
  return Array.isArray(list) ? list : []
}

/** Returns a member of an object. Inherited members are ignored, so `__proto__` and `constructor` are regular names. */
export function ownMember(record: unknown, name: string): unknown {
  return isJsonObject(record) && Object.hasOwn(record, name) ? record[name] : undefined
}

/** Returns the keys in a JSON Pointer or in a reference such as `#/$defs/x`. */
export function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Resolves a reference within a schema, or returns undefined if its target is outside the schema or does not exist. */
export function followRef(ref: unknown, root: JsonSchema): unknown {
  if (typeof ref !== 'string') return undefined
  if (ref === '#') return root
  if (ref.startsWith('#/')) return keysOf(decodeRef(ref)).reduce<unknown>(inside, root)
  return Object.values(isJsonObject(root['$defs']) ? root['$defs'] : {}).find(
    (each) => ownMember(each, '$anchor') === ref.slice(1) || ownMember(each, '$id') === ref,
  )
}

function inside(schema: unknown, key: string): unknown {
  return Array.isArray(schema) ? (schema[Number(key)] as unknown) : ownMember(schema, key)
}

function decodeRef(ref: string): string {
  try {
    return decodeURIComponent(ref)
  } catch {
    return ref // a stray percent sign is part of the name
  }
}
