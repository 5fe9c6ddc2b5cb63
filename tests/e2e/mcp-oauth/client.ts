import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'

/** An installation of the official client, which receives its authorization codes on a loopback port. */
export interface InstalledClient {
  /** Connects to an MCP route. The user approves the client in a browser as often as the server requires it. */
  connect(url: string): Promise<Client>
  /** The authorization requests that the client opened in the browser. */
  readonly authorizations: readonly URL[]
  /** The tokens that the client received, the current ones last. */
  readonly tokens: readonly StoredOAuthTokens[]
  /** Returns the id under which the client registered itself. */
  id(): string
  close(): void
}

/** Options for `installClient`. */
export interface InstallOptions {
  /** Opens a URL in the user's browser, and resolves when the browser has reached the client's redirect URL. */
  open(url: URL): Promise<void>
  /** The scopes of the first authorization request. @default those that the server offers */
  scope?: string
}

/** Installs the official client. It has no settings for a server, and stores its credentials in memory. */
export async function installClient({ open, scope }: InstallOptions): Promise<InstalledClient> {
  let arrive: (url: URL) => void = () => {}
  const callback = createServer((request, response) => {
    response.end('You can close this page')
    const url = new URL(request.url ?? '', redirectUrl)
    if (url.pathname === '/callback') arrive(url)
  })
  callback.listen(0, '127.0.0.1')
  await once(callback, 'listening')
  const redirectUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`
  const authorizations: URL[] = []
  const { provider, stored } = createProvider(redirectUrl, (url) => {
    if (scope !== undefined && authorizations.length === 0) url.searchParams.set('scope', scope)
    authorizations.push(url)
  })

  /** Sends the user to the last authorization request, and exchanges the code with which the browser returns. */
  async function authorize(transport: StreamableHTTPClientTransport): Promise<void> {
    const arrived = new Promise<URL>((resolve) => {
      arrive = resolve
    })
    await open(authorizations.at(-1) as URL)
    await transport.finishAuth((await arrived).searchParams)
  }

  return {
    async connect(url) {
      for (;;) {
        const count = authorizations.length
        const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider })
        const client = new Client({ name: 'installed', version: '1.0.0' })
        try {
          await client.connect(transport)
          return client
        } catch (error) {
          if (!(error instanceof UnauthorizedError) || authorizations.length === count) throw error
          await authorize(transport)
        }
      }
    },
    authorizations,
    tokens: stored.tokens,
    id: () => stored.client?.client_id ?? '',
    close: () => void callback.close(),
  }
}

interface Stored {
  readonly tokens: StoredOAuthTokens[]
  client?: StoredOAuthClientInformation
  discovery?: OAuthDiscoveryState
  verifier?: string
}

function createProvider(
  redirectUrl: string,
  redirect: (url: URL) => void,
): { provider: OAuthClientProvider; stored: Stored } {
  const stored: Stored = { tokens: [] }
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Installed client',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => stored.client,
    saveClientInformation: (client) => void (stored.client = client),
    tokens: () => stored.tokens.at(-1),
    saveTokens: (tokens) => void stored.tokens.push(tokens),
    discoveryState: () => stored.discovery,
    saveDiscoveryState: (discovery) => void (stored.discovery = discovery),
    redirectToAuthorization: redirect,
    codeVerifier: () => stored.verifier ?? '',
    saveCodeVerifier: (verifier) => void (stored.verifier = verifier),
  }
  return { provider, stored }
}
