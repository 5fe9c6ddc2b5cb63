import type { Schema } from '@sdk/protocol'

/** Returns whether a value is a schema from a Standard Schema library. */
export function isSchema(value: unknown): value is Schema {
  return typeof (value as Partial<Schema> | null | undefined)?.['~standard']?.validate === 'function'
}

/** Throws at definition time if a value is not a schema, such as fields that are not wrapped in `z.object`. */
export function assertSchemas(owner: string, schemas: Readonly<Record<string, unknown>>): void {
  for (const [name, schema] of Object.entries(schemas))
    if (schema !== undefined && !isSchema(schema))
      throw new TypeError(`${owner}: ${name} must be a Standard Schema, such as z.object({ … })`)
}
