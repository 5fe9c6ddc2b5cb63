import type { JsonSchema } from './json-schema.ts'

/** A schema, and a JSON text that it rejects with the pointer and the message of the issue. */
export interface SchemaCase {
  readonly name: string
  readonly schema: JsonSchema
  readonly bad?: { readonly text: string; readonly pointer: string; readonly message: RegExp }
}
