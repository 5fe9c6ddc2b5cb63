import type { GenericEndpointContext } from '@better-auth/core'
import { oauthClientMetadataSchema, type SchemaClient } from '@better-auth/oauth-provider'
import { registerClientMetadataDocument } from '@better-auth/oauth-provider/internal'
import { APIError } from 'better-auth/api'
import { createConcurrencyLimit } from '../concurrency-limit.ts'
import { DISCOVERY_ID } from './client-limit.ts'
import { assertWebLinks } from './client-links.ts'
import { fetchPublic, isFetchable } from './fetch-public.ts'

const HOUR_MS = 3_600_000

/** How long a stored document is used while the current one cannot be read, in ms. */
const MAX_STALE_MS = 24 * HOUR_MS

/** The members of a document that apply. Others, such as `skip_consent`, are up to the server. */
const MEMBERS: ReadonlySet<string> = new Set([
  'client_id',
  'client_name',
  'client_uri',
  'logo_uri',
  'redirect_uris',
  'application_type',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'jwks',
  'jwks_uri',
])

/** The options of Better Auth's OAuth provider. */
export type ProviderOptions = Parameters<typeof registerClientMetadataDocument>[1]

type ClientMetadata = Parameters<typeof registerClientMetadataDocument>[2]['metadata']
type Client = SchemaClient<string[]>
type ClientDiscovery = Extract<
  NonNullable<NonNullable<ProviderOptions['extensions']>[number]['clientDiscovery']>,
  { id: string }
>

interface DiscoveryOptions {
  readonly allowsLoopback: boolean
  /** Returns the options of the OAuth provider. */
  options(): ProviderOptions
  /** Throws if the server has too many clients. */
  assertRoom(ctx: GenericEndpointContext): Promise<void>
}

/** Creates the registration of clients by documents: the id of a client is the URL of a document that describes it. */
export function createClientDiscovery({ allowsLoopback, options, assertRoom }: DiscoveryOptions): ClientDiscovery {
  const limit = createConcurrencyLimit({ concurrency: 8, queue: 32 })
  const fetchDocument = (url: string): Promise<Response> => limit(() => fetchPublic(url, { allowsLoopback }))

  async function register(ctx: GenericEndpointContext, clientId: string, existing: Client | null): Promise<Client> {
    if (existing === null) await assertRoom(ctx)
    const metadata = await readMetadata(clientId, fetchDocument)
    const input = { clientId, clientDiscoveryId: DISCOVERY_ID, metadata, ...(existing && { existingClient: existing }) }
    return (await registerClientMetadataDocument(ctx, options(), input)).client
  }

  return {
    id: DISCOVERY_ID,
    // A document at the root of a host could be any page.
    matches: (clientId) => isFetchable(clientId, allowsLoopback) && new URL(clientId).pathname !== '/',
    async resolve(ctx, clientId, existing) {
      const age = Date.now() - Number(existing?.updatedAt ?? 0)
      if (existing !== null && age < HOUR_MS) return existing
      try {
        return await register(ctx, clientId, existing)
      } catch (error) {
        if (existing !== null && age < MAX_STALE_MS) return existing
        throw error
      }
    },
    fetchClientMetadataResource: (url) => fetchDocument(url instanceof Request ? url.url : url.toString()),
    discoveryMetadata: { client_id_metadata_document_supported: true },
  }
}

async function readMetadata(
  clientId: string,
  fetchDocument: (url: string) => Promise<Response>,
): Promise<ClientMetadata> {
  const document = await fetchDocument(clientId)
    .then((response) => response.json() as Promise<Record<string, unknown> | null>)
    .catch((error: unknown) => refuse(`the document could not be read: ${String(error)}`))
  const members = Object.fromEntries(Object.entries({ ...document }).filter(([name]) => MEMBERS.has(name)))
  assertWebLinks(members)
  const { data, error } = oauthClientMetadataSchema.safeParse(members)
  if (error) return refuse(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
  if (data.client_id !== clientId) return refuse('client_id must be the URL of the document')
  if (!data.client_name?.trim()) return refuse('client_name is missing')
  if (!data.redirect_uris) return refuse('redirect_uris is missing')
  return { ...data, redirect_uris: data.redirect_uris } as ClientMetadata
}

function refuse(description: string): never {
  throw new APIError('BAD_REQUEST', { error: 'invalid_client', error_description: description })
}
