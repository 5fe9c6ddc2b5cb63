import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { text as readStream } from 'node:stream/consumers'
import type { Database } from '@sdk/database'
import { toSubprotocols } from '@sdk/protocol'
import { createApp, createLog, createRouter, createSocket, requireScope, serve } from '@sdk/server'
import { ADA, readJson, SECRET } from '../auth-app.test.fixture.ts'
import { type AuthOptions, createAuth, createSessionMiddleware, type McpOptions, mountAuthRoutes } from '../index.ts'

const PAGES = { loginPage: '/login', consentPage: '/consent' }
export const REDIRECT = 'http://127.0.0.1:7777/callback'
const VERIFIER = 'a verifier of the tests, which has more than 43 characters'.replaceAll(/\W/g, '-')

/** A server with two MCP routes, a guarded route and auth routes. */
export interface OAuthApp {
  readonly url: string
  readonly resource: string
  /** Sends a request and does not follow redirects. */
  send(path: string, init?: RequestInit): Promise<Response>
  /** Calls a route with a token. */
  call(path: string, token: string): Promise<Response>
  close(): Promise<void>
}

/** Starts the server. Without a base URL, its origin is that of each request. */
export async function openOAuthApp(
  database: Database,
  mcp: Partial<McpOptions> = {},
  more: Partial<AuthOptions> = {},
): Promise<OAuthApp> {
  const options = { resources: ['/api/mcp', '/api/other'], scopes: ['read', 'write'], ...PAGES, ...mcp }
  const auth = createAuth({ database, secret: SECRET, throttle: false, mcp: options, ...more })
  const router = createRouter()
    .use('/api/*', createSessionMiddleware(auth))
    .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
    .on('GET|POST /api/mcp', async ({ auth: caller }) => ({
      via: caller?.via,
      scopes: caller?.scopes,
      user: (await caller?.getUser())?.email,
    }))
    .on('GET /api/mcp/write', (ctx) => {
      requireScope(ctx, 'write')
      return { done: true }
    })
    .on('GET /api/other', () => ({ done: true }))
    .on('GET /api/me', () => ({ done: true }))
    .socket('/ws/chat', createSocket({ open: (peer) => peer.send(peer.auth?.via) }))
  const app = createApp({ router, rateLimit: false, log: createLog({ write: () => {} }) })
  const server = await serve(app, { port: 0, signals: false })
  const url = `http://127.0.0.1:${server.port}`
  const send: OAuthApp['send'] = (path, init) => fetch(new URL(path, url), { redirect: 'manual', ...init })
  return {
    url,
    resource: `${url}/api/mcp`,
    send,
    call: (path, token) => send(path, { headers: { authorization: `Bearer ${token}` } }),
    close: () => server.close(),
  }
}

/** A user whose browser is signed in. */
export interface SignedInUser {
  readonly cookie: string
  post(path: string, body: unknown): Promise<Response>
}

/** Signs a new user up. */
export async function signUp(app: OAuthApp, email: string = ADA.email): Promise<SignedInUser> {
  const headers = { 'content-type': 'application/json', origin: app.url }
  const signedUp = await app.send('/api/auth/sign-up/email', {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...ADA, email }),
  })
  assert.equal(signedUp.status, 200)
  const cookie = signedUp.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const post: SignedInUser['post'] = (path, body) =>
    app.send(path, { method: 'POST', headers: { ...headers, cookie }, body: JSON.stringify(body) })
  return { cookie, post }
}

/** Creates the parameters of an authorization request. */
export function authorization(app: OAuthApp, clientId: string, more: Record<string, string> = {}): URLSearchParams {
  return new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    state: 'a state',
    scope: 'read offline_access',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    resource: app.resource,
    ...more,
  })
}

/** Opens an authorization request in a user's browser. Returns the URL to which the browser is redirected. */
export async function authorize(app: OAuthApp, parameters: URLSearchParams, cookie = ''): Promise<URL> {
  // `fetch` would send the headers of a script, which gets no redirect.
  const request = get(`${app.url}/api/auth/oauth2/authorize?${String(parameters)}`, { headers: { cookie } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const text = await readStream(response)
  assert.equal(response.statusCode, 302, text)
  return new URL(response.headers.location ?? '', app.url)
}

/** Approves a client on the consent page. Returns the authorization code. */
export async function approve(user: SignedInUser, consentPage: URL): Promise<string> {
  assert.equal(consentPage.pathname, '/consent')
  const answer = await user.post('/api/auth/oauth2/consent', {
    accept: true,
    oauth_query: consentPage.search.slice(1),
  })
  assert.equal(answer.status, 200)
  const { url } = await readJson(answer)
  return new URL(String(url)).searchParams.get('code') ?? ''
}

/** Sends a form to the token route or another route for OAuth clients. */
export function postForm(app: OAuthApp, path: string, form: Record<string, string>): Promise<Response> {
  return app.send(path, { method: 'POST', body: new URLSearchParams(form) })
}

/** Exchanges a code for tokens. */
export function exchange(app: OAuthApp, clientId: string, more: Record<string, string>): Promise<Response> {
  return postForm(app, '/api/auth/oauth2/token', {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    resource: app.resource,
    ...more,
  })
}

/** Gets the tokens of a user for a client, which the user approves. */
export async function getTokens(
  app: OAuthApp,
  { user, clientId, ...more }: { user: SignedInUser; clientId: string } & Record<string, unknown>,
): Promise<{ access_token: string; refresh_token: string }> {
  const parameters = authorization(app, clientId, more as Record<string, string>)
  const sentTo = await authorize(app, parameters, user.cookie)
  const code = sentTo.searchParams.get('code') ?? (await approve(user, sentTo))
  const { resource = app.resource } = more as { resource?: string }
  const response = await exchange(app, clientId, { code, resource })
  assert.equal(response.status, 200)
  return (await response.json()) as { access_token: string; refresh_token: string }
}

/** Serves the document that describes a client. Returns the client's id. */
export async function serveClient(
  members: Record<string, unknown> = {},
): Promise<{ clientId: string; requests(): number; close(): void }> {
  let requests = 0
  const server = createServer((_request, response) => {
    requests++
    const document = { client_id: clientId, client_name: 'A client', redirect_uris: [REDIRECT], ...members }
    const grants = { grant_types: ['authorization_code', 'refresh_token'], token_endpoint_auth_method: 'none' }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...grants, ...document }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const clientId = `http://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`
  return { clientId, requests: () => requests, close: () => server.close() }
}

/** Opens a socket with a token that the server rejects. Returns the code with which the server closes the socket. */
export async function openSocket(app: OAuthApp, token: string): Promise<number> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    'sec-websocket-protocol': toSubprotocols(token).join(', '),
  }
  const request = get(`${app.url}/ws/chat`, { headers })
  const [, socket, head] = (await once(request, 'upgrade')) as [IncomingMessage, Duplex, Buffer]
  const [frame] = head.length > 0 ? [head] : ((await once(socket, 'data')) as [Buffer])
  socket.destroy()
  assert.equal(frame[0], 0x88, 'the first frame closes the socket')
  return frame.readUInt16BE(2)
}
