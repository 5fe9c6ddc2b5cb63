import { table } from '@sdk/database'
import { createResource, type Resource } from '@sdk/server'
import { z } from 'zod'

/** The types of fields. */
const FIELDS = {
  string: z.string().max(100),
  'string?': z.string().max(100).nullable(),
  integer: z.int(),
  number: z.number(),
}

/** One version of the resource `notes`. */
export interface Version {
  readonly fields: Readonly<Record<string, keyof typeof FIELDS>>
  readonly unique?: readonly string[]
}

/** Creates the resource of a version in the default database. */
export function createNotes({ fields, unique = [] }: Version): Resource {
  const schema = z.object(Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, FIELDS[type]])))
  const definition = { schema, store: table('notes'), access: 'public', unique }
  return createResource('notes', definition as never)
}
