import type { ContextServices, RequestContext, RunStartCall } from '../context/context.ts'
import type { StartedRun } from '../context/start.ts'
import type { TransactionQuery } from '../context/transaction.ts'
import type { ResourceRef } from '../context/rows.ts'
import type { PublicEndpoint } from '../endpoint/endpoint.ts'
import type { Resource } from '../define/resource.ts'
import type { Store, StoreWith } from '../define/store.ts'

/** The services that transactions use. */
export interface TransactionServices extends Pick<ContextServices, 'rows'> {
  /** Starts a run in the current transaction. */
  start(call: RunStartCall, query: TransactionQuery): Promise<StartedRun>
}

/** Creates `ctx.transaction` for the resources of these endpoints. */
export function createTransactions(
  endpoints: readonly PublicEndpoint[],
  { rows, start }: TransactionServices,
): ContextServices['transaction'] {
  const resources = new Set(endpoints.flatMap(({ resource }) => resource?.resource ?? []))
  return async (work, { resource, ...options }, caller) => {
    const store = findStore(resources, resource)
    const inner = await withFixedUser(caller)
    return store.transaction(
      (query) =>
        work({
          query,
          start: (agent, input, more) => start({ agent, input, options: more, caller: inner }, query),
          rows(one) {
            assertIncluded(resources, one)
            return rows(one, inner) as never
          },
        }),
      options,
    )
  }
}

function findStore(resources: ReadonlySet<Resource>, wanted: object | undefined): StoreWith<'transaction'> {
  const candidates = [...resources].filter((one) => wanted === undefined || isMountedAs(one, wanted))
  const store = candidates.map((one) => one.store).find(canTransact)
  if (store !== undefined) return store
  throw new TypeError(
    `ctx.transaction needs a mounted resource whose store supports transactions, such as table() from @sdk/database, ` +
      `got ${candidates.map(({ name }) => name).join(', ') || 'none'}: mount one, or use database.transaction`,
  )
}

function canTransact(store: Store): store is StoreWith<'transaction'> {
  return store.transaction !== undefined
}

/** Returns whether a mounted resource is the wanted resource, with or without relations. */
function isMountedAs(mounted: Resource, wanted: object): boolean {
  return mounted === wanted || mounted.base === wanted
}

function assertIncluded(resources: ReadonlySet<Resource>, wanted: Pick<ResourceRef, 'name'>): void {
  const store = [...resources].find((one) => isMountedAs(one, wanted))?.store
  if (store === undefined || (store.currentTransaction?.() ?? null) !== null) return // `rows` reports unknown resources
  const fix = canTransact(store)
    ? 'it is in another database, or the transaction has ended'
    : 'its store does not support transactions; use table() or drizzleTable() from @sdk/database'
  throw new TypeError(`tx.rows(${wanted.name}): ${wanted.name} cannot be part of the transaction: ${fix}`)
}

/**
 * Creates a context for the same caller, whose user is read before the transaction begins. If the cached session has
 * expired, reading the user requires a second connection, but the embedded database has only one.
 */
async function withFixedUser(caller: RequestContext): Promise<RequestContext> {
  const { auth, observer, span } = caller
  const user = await auth?.getUser()
  const fixed = auth && user && { ...auth, getUser: () => Promise.resolve(user) }
  return Object.assign(caller.nested(caller.route), { observer, span, auth: fixed ?? auth })
}
