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

type Adapter = GenericEndpointContext['context']['adapter']

/**
 * Deletes clients that no user has approved and that are old or have a document. Reads such clients in batches until a
 * batch contains unapproved ones.
 */
async function deleteUnused(adapter: Adapter): Promise<void> {
  const isOld = { field: 'createdAt', operator: 'lt', value: new Date(Date.now() - DAY_MS), connector: 'OR' } as const
  // Guests can create any number of clients with documents, which the server reads again when they are needed.
  const hasDocument = { field: 'clientDiscoveryId', value: DISCOVERY_ID, connector: 'OR' } as const
  const where = [isOld, hasDocument]
  const sortBy = { field: 'clientId', direction: 'asc' } as const
  for (let offset = 0; ; offset += BATCH_SIZE) {
    const found = await adapter.findMany<Client>({ model: 'oauthClient', where, sortBy, limit: BATCH_SIZE, offset })
    const unused = await withoutApproved(adapter, found.map(toClientId))
    if (unused.length > 0) await adapter.deleteMany({ model: 'oauthClient', where: [isOneOf(unused)] })
    if (unused.length > 0 || found.length < BATCH_SIZE) return
  }
}

async function withoutApproved(adapter: Adapter, clientIds: readonly string[]): Promise<string[]> {
  let unused = [...clientIds]
  // A client may have more consents than a batch, so the search continues until the other clients have none.
  for (let consents = BATCH_SIZE; consents === BATCH_SIZE && unused.length > 0;) {
    const where = [isOneOf(unused)]
    const approved = await adapter.findMany<Client>({ model: 'oauthConsent', where, limit: BATCH_SIZE })
    consents = approved.length
    const known = new Set(approved.map(toClientId))
    unused = unused.filter((clientId) => !known.has(clientId))
  }
  return unused
}

interface Client {
  readonly clientId: string
}

function toClientId({ clientId }: Client): string {
  return clientId
}

function isOneOf(value: string[]): Where {
  return { field: 'clientId', operator: 'in', value }
}
