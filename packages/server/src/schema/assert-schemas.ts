import type { Schema } from '@sdk/protocol'

/** Is it of a library that speaks Standard Schema? */
export function isSchema(value: unknown): value is Schema {
  return typeof (value as Partial<Schema> | null | undefined)?.['~standard']?.validate === 'function'
}

/** Refuses, where it is defined, what could check nothing: often the fields alone, with no `z.object` around them. */
export function assertSchemas(owner: string, schemas: Readonly<Record<string, unknown>>): void {
  for (const [name, schema] of Object.entries(schemas))
    if (schema !== undefined && !isSchema(schema))
      throw new TypeError(`${owner}: its ${name} is no schema of a Standard Schema library, such as z.object({ … })`)
}
