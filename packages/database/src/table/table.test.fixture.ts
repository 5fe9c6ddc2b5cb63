import { createResource, type ListQuery, type Store } from '@sdk/server'
import { z } from 'zod'
import { type Database, table } from '../index.ts'

/** A query for all rows of a test, ordered by id. */
export const ALL: ListQuery = {
  limit: 50,
  sort: [{ field: 'id', isDescending: false }],
  after: null,
  conditions: [],
  where: {},
  isCounted: false,
}

/** The definition of a table in one version of a program. */
export interface Version {
  readonly fields: z.ZodRawShape
  readonly filter?: readonly string[]
  readonly sort?: readonly string[]
  readonly unique?: readonly (string | readonly string[])[]
  readonly columns?: Readonly<Record<string, string>>
}

/** Creates the store for a version. */
export function storeOf(database: Database, name: string, { fields, columns = {}, ...rest }: Version): Required<Store> {
  const assign = (): object => ({})
  const definition = {
    schema: z.object(fields),
    store: table(name, { database, columns }),
    access: 'public',
    assign,
    ...rest,
  }
  return createResource('things', definition as never).store as Required<Store>
}

/** Returns all rows, without the fields that the store adds. */
export async function rowsOf(store: Required<Store>): Promise<Record<string, unknown>[]> {
  const { rows } = await store.list(ALL)
  return rows.map(({ createdAt: _createdAt, updatedAt: _updatedAt, version: _version, ...row }) => row)
}
