import type { GenericEndpointContext } from '@better-auth/core'
import type { Where } from 'better-auth'
import { APIError } from 'better-auth/api'

const DAY_MS = 24 * 3_600_000
const BATCH_SIZE = 1_000

/** The id of the registration of clients by documents, which is stored with these clients. */
export const DISCOVERY_ID = 'cimd'

/**
 * Creates a function that throws if the server has the maximum number of clients, even without those that no user has
 * approved and that were created more than a day ago or have a document.
 */
export function createClientLimit(maxClients: number): (ctx: GenericEndpointContext) => Promise<void> {
  return async ({ context: { adapter } }) => {
    const isFull = async (): Promise<boolean> => (await adapter.count({ model: 'oauthClient' })) >= maxClients
    if (!(await isFull())) return
    await deleteUnused(adapter)
    if (!(await isFull())) return
    throw new APIError('TOO_MANY_REQUESTS', {
      error: 'temporarily_unavailable',
      error_description: `the server has the maximum number of clients (${maxClients})`,
    })
  }
}

async function deleteUnused(adapter: GenericEndpointContext['context']['adapter']): Promise<void> {
  const isOld = { field: 'createdAt', operator: 'lt', value: new Date(Date.now() - DAY_MS), connector: 'OR' } as const
  // Guests can create any number of clients with documents, which the server reads again when they are needed.
  const hasDocument = { field: 'clientDiscoveryId', value: DISCOVERY_ID, connector: 'OR' } as const
  const find = async (model: string, ...where: Where[]): Promise<string[]> => {
    const rows = await adapter.findMany<{ clientId: string }>({ model, where, limit: BATCH_SIZE })
    return rows.map(({ clientId }) => clientId)
  }
  const isOneOf = (value: string[]) => ({ field: 'clientId', operator: 'in', value }) as const
  let unused = await find('oauthClient', isOld, hasDocument)
  // A client may have more consents than a batch, so the search continues until the other clients have none.
  for (let consents = BATCH_SIZE; consents === BATCH_SIZE && unused.length > 0;) {
    const approved = await find('oauthConsent', isOneOf(unused))
    consents = approved.length
    const known = new Set(approved)
    unused = unused.filter((clientId) => !known.has(clientId))
  }
  if (unused.length > 0) await adapter.deleteMany({ model: 'oauthClient', where: [isOneOf(unused)] })
}
