/** A JSON Schema (2020-12), as `GET /agent/{name}` and OpenAPI tell it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Is this an object as JSON has it? */
export function isJsonObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The list at a keyword; empty where there is none. */
export function listOf(schema: JsonSchema, keyword: string): readonly unknown[] {
  const list = schema[keyword]
  return Array.isArray(list) ? list : []
}

/** A member of a record that is its own: `__proto__` and `constructor` are names like any other. */
export function ownMember(record: unknown, name: string): unknown {
  return isJsonObject(record) && Object.hasOwn(record, name) ? record[name] : undefined
}

/** The keys of a JSON Pointer, or of a reference such as `#/$defs/x`. */
export function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Resolves a reference inside of a schema; undefined where it points elsewhere or nowhere. */
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
