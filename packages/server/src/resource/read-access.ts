import { findAccess } from './access.ts'
import type { ResourceCall, ResourceParts } from './resource-runtime.ts'
import { idOf } from './read.ts'
import type { Store, Where } from '../define/store.ts'
import { isSame } from './values.ts'

/** May who changes a row also see it? Where only some may be seen, a store must tell. */
export type Readable = boolean | Where

/** What the caller may see of the rows that it may change. */
export async function findReadable(
  { resource }: ResourceParts,
  { ctx, where }: Pick<ResourceCall, 'ctx' | 'where'>,
): Promise<Readable> {
  const { access } = resource.definition
  if (access === 'public') return true
  const readable = await findAccess(access, 'get', ctx)
  return readable !== null && (isSame(readable, where) || readable)
}

/** May the caller see the row that the path names, as it is now? */
export async function isShown(store: Store, readable: Readable, { ctx }: Pick<ResourceCall, 'ctx'>): Promise<boolean> {
  if (typeof readable === 'boolean') return readable
  const row = await store.get?.({ id: idOf(ctx), where: readable })
  return row !== null && row !== undefined
}
