import { createResource, type Store } from '@sdk/server'
import { z } from 'zod'
import { type Database, table } from './index.ts'

/** What one version of a program says of a table. */
export interface Version {
  readonly fields: z.ZodRawShape
  readonly filter?: readonly string[]
  readonly sort?: readonly string[]
  readonly unique?: readonly (string | readonly string[])[]
}

/** The store of a version. */
export function storeOf(database: Database, name: string, { fields, ...rest }: Version): Required<Store> {
  const assign = (): object => ({})
  const definition = { schema: z.object(fields), store: table(name, { database }), access: 'public', assign, ...rest }
  return createResource('things', definition as never).store as Required<Store>
}

/** All rows, without what the store adds. */
export async function rowsOf(store: Required<Store>): Promise<Record<string, unknown>[]> {
  const sort = [{ field: 'id', isDescending: false }]
  const { rows } = await store.list({ limit: 50, sort, after: null, conditions: [], where: {}, isCounted: false })
  return rows.map(({ createdAt: _createdAt, updatedAt: _updatedAt, version: _version, ...row }) => row)
}
