import { table, type Database } from '@sdk/database'
import { createResource, type Resource } from '@sdk/server'
import { z } from 'zod'

/** The types of fields. */
const FIELDS = {
  string: z.string().max(100),
  'string?': z.string().max(100).nullable(),
  integer: z.int(),
  number: z.number(),
}

/** One version of a resource. */
export interface Version {
  readonly fields: Readonly<Record<string, keyof typeof FIELDS>>
  readonly unique?: readonly string[]
  readonly columns?: Readonly<Record<string, string>>
}

/** Versions by the name of their resource, which is also the name of its table. */
export type Versions = Readonly<Record<string, Version>>

/** Creates the resource of a version, by default in the default database. */
export function toResource(
  name: string,
  { fields, unique = [], columns = {} }: Version,
  database?: Database,
): Resource {
  const schema = z.object(Object.fromEntries(Object.entries(fields).map(([field, type]) => [field, FIELDS[type]])))
  const store = table(name, { columns, ...(database !== undefined && { database }) })
  return createResource(name, { schema, store, access: 'public', unique } as never)
}
