import { findAccess } from './access.ts'
import type { ResourceRequest, ResourceRuntime } from './resource-runtime.ts'
import { rowIdOf } from './read.ts'
import type { Store, Where } from '../define/store.ts'
import { isSameJson } from './values.ts'

/** May who changes a row also see it? Where only some may be seen, a store must tell. */
export type ReadAccess = boolean | Where

/** What the caller may see of the rows that it may change. */
export async function findReadAccess(
  { resource }: ResourceRuntime,
  { ctx, where }: Pick<ResourceRequest, 'ctx' | 'where'>,
): Promise<ReadAccess> {
  const { access } = resource.definition
  if (access === 'public') return true
  const readable = await findAccess(access, 'get', ctx)
  return readable !== null && (isSameJson(readable, where) || readable)
}

/** May the caller see the row that the path names, as it is now? */
export async function canRead(
  store: Store,
  readable: ReadAccess,
  { ctx }: Pick<ResourceRequest, 'ctx'>,
): Promise<boolean> {
  if (typeof readable === 'boolean') return readable
  const row = await store.get?.({ id: rowIdOf(ctx), where: readable })
  return row !== null && row !== undefined
}
