import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Database, openDatabase } from '@sdk/database'
import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readJson } from '../auth-app.test.fixture.ts'
import { createAuth } from '../index.ts'
import { fetchPublic, isFetchable } from './fetch-public.ts'
import {
  approve,
  authorization,
  authorize,
  exchange,
  getTokens,
  type OAuthApp,
  openOAuthApp,
  REDIRECT,
  serveClient,
  signUp,
} from './oauth-app.test.fixture.ts'

describe('registration of OAuth clients', () => {
  let database: Database
  let app: OAuthApp
  beforeAll(async () => {
    database = openDatabase(await emptyDatabase())
    app = await openOAuthApp(database, { registration: 'dynamic', maxClients: 3 })
  })
  afterAll(async () => {
    await app.close()
    await database.close()
  })
  const register = (members: object, headers = {}): Promise<Response> =>
    app.send('/api/auth/oauth2/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ token_endpoint_auth_method: 'none', redirect_uris: [REDIRECT], ...members }),
    })

  it('lets clients register themselves if `registration` is dynamic', async () => {
    const server = await readJson(await app.send('/.well-known/oauth-authorization-server'))
    expect(server['registration_endpoint']).toBe(`${app.url}/api/auth/oauth2/register`)
    const made = await register(
      { client_name: 'Inspector', skip_consent: true },
      { origin: 'https://inspector.example' },
    )
    expect([made.status, made.headers.get('access-control-allow-origin')]).toEqual([400, '*'])
    const registered = await register({ client_name: 'Inspector' })
    expect(registered.status).toBe(201)
    const { client_id: clientId } = (await readJson(registered)) as { client_id: string }
    const ada = await signUp(app)
    const { access_token: token } = await getTokens(app, { user: ada, clientId, scope: 'read' })
    expect((await app.call('/api/mcp', token)).status).toBe(200)
    for (const uri of ['http://evil.example/', 'javascript:alert(1)', 'https://localhost/x'])
      expect([uri, (await register({ redirect_uris: [uri] })).status]).toEqual([uri, 400])
    for (const name of ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri']) {
      const rejected = await register({ [name]: 'javascript:alert(1)' })
      expect([rejected.status, await rejected.text()]).toEqual([400, expect.stringContaining(`${name} must be`)])
    }
  })

  it('lets clients in pages of every origin register and get tokens, without cookies', async () => {
    const origin = 'https://inspector.example'
    const preflight = async (path: string): Promise<(string | null)[]> => {
      const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
      const { headers } = await app.send(path, { method: 'OPTIONS', headers: { origin, ...asked } })
      return ['origin', 'headers', 'credentials'].map((name) => headers.get(`access-control-allow-${name}`))
    }
    for (const name of ['register', 'token', 'revoke'])
      expect(await preflight(`/api/auth/oauth2/${name}`)).toEqual(['*', expect.stringContaining('Content-Type'), null])
    for (const path of ['/api/auth/oauth2/consent', '/api/auth/sign-in/email', '/api/mcp'])
      expect([path, await preflight(path)]).toEqual([path, [null, null, null]])
    const malformed = await app.send('/api/auth/oauth2/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: '{',
    })
    expect([malformed.status, malformed.headers.get('access-control-allow-origin')]).toEqual([400, '*'])
  })

  it('accepts the redirects of Cursor', async () => {
    const redirect = 'cursor://anysphere.cursor-mcp/oauth/callback'
    const uris = [redirect, 'https://www.cursor.com/agents/mcp/oauth/callback', 'http://localhost:8787/callback']
    const registered = await readJson(await register({ client_name: 'Cursor', redirect_uris: uris }))
    expect(registered['redirect_uris']).toEqual(uris)
    const clientId = String(registered['client_id'])
    const user = await signUp(app, 'grace@example.com')
    const consentPage = await authorize(app, authorization(app, clientId, { redirect_uri: redirect }), user.cookie)
    const code = await approve(user, consentPage)
    expect((await exchange(app, clientId, { code, redirect_uri: redirect })).status).toBe(200)
    for (const uri of [`${redirect}/x`, 'cursor://other/callback', 'vscode://x/callback'])
      expect([uri, (await register({ redirect_uris: [uri] })).status]).toEqual([uri, 400])
    await database.query(`delete from "oauthClient" where name = 'Cursor'`)
  })

  it('keeps at most `maxClients`, without old clients that no user approved', async () => {
    expect([(await register({})).status, (await register({})).status]).toEqual([201, 201])
    const full = await register({})
    expect([full.status, (await readJson(full))['error']]).toEqual([429, 'temporarily_unavailable'])
    await database.query(`update "oauthClient" set "createdAt" = now() - interval '2 days'`)
    expect((await register({ client_name: 'Newer' })).status).toBe(201)
    const names = await database.query<{ name: string }>(`select name from "oauthClient" order by name`)
    expect(names.map(({ name }) => name)).toEqual(['Inspector', 'Newer'])
  })

  it('keeps approved clients even if another client has thousands of users', async () => {
    const names = async (): Promise<string[]> => {
      const rows = await database.query<{ name: string }>(`select name from "oauthClient" order by name`)
      return rows.map(({ name }) => name)
    }
    const before = await names()
    await database.query(`insert into "oauthClient" (id, "clientId", name, "redirectUris", "createdAt")
      select 'popular' || n, 'popular' || n, 'Popular ' || n, '[]', now() - interval '2 days' from generate_series(1, 2) n`)
    await database.query(`insert into "oauthConsent" (id, "clientId", scopes, "createdAt", "updatedAt")
      select 'consent' || n, 'popular' || (n / 1001 + 1), '[]', now(), now() from generate_series(1, 1001) n`)
    expect((await register({})).status).toBe(429)
    expect(await names()).toEqual([...before, 'Popular 1', 'Popular 2'])
    await database.query(`delete from "oauthClient" where name like 'Popular%'`)
  })

  it('replaces clients with documents that no user approved, so that guests cannot exclude new clients', async () => {
    const [known] = await database.query<{ count: number }>(`select count(*)::int as count from "oauthClient"`)
    const limited = await openOAuthApp(database, { maxClients: (known?.count ?? 0) + 2 })
    const [mine, ...others] = await Promise.all([1, 2, 3, 4, 5].map(() => serveClient()))
    const clientId = mine?.clientId ?? ''
    const radia = await signUp(limited, 'radia@example.com')
    const consentPage = await authorize(limited, authorization(limited, clientId), radia.cookie)
    for (const other of others)
      expect((await authorize(limited, authorization(limited, other.clientId))).pathname).toBe('/login')
    const code = await approve(radia, consentPage)
    expect((await exchange(limited, clientId, { code })).status).toBe(200)
    for (const other of others) await authorize(limited, authorization(limited, other.clientId))
    expect((await authorize(limited, authorization(limited, clientId), radia.cookie)).origin).toBe(
      'http://127.0.0.1:7777',
    )
    await database.query(`delete from "oauthClient" where "clientDiscoveryId" is not null`)
    for (const one of [mine, ...others]) one?.close()
    await limited.close()
  })

  it('deletes unapproved clients even if thousands of older ones are approved', async () => {
    const large = await openOAuthApp(database, { registration: 'dynamic', maxClients: 1_500 })
    await database.query(`insert into "oauthClient" (id, "clientId", name, "redirectUris", "createdAt")
      select 'old' || n, 'old' || n, case when n > 1100 then 'Unapproved' else 'Approved' end, '[]',
        now() - interval '2 days' from generate_series(1, 1500) n`)
    await database.query(`insert into "oauthConsent" (id, "clientId", scopes, "createdAt", "updatedAt")
      select 'approval' || n, 'old' || n, '[]', now(), now() from generate_series(1, 1100) n`)
    const body = JSON.stringify({ token_endpoint_auth_method: 'none', redirect_uris: [REDIRECT] })
    const headers = { 'content-type': 'application/json' }
    const answer = await large.send('/api/auth/oauth2/register', { method: 'POST', headers, body })
    expect(answer.status).toBe(201)
    const [counts] = await database.query(`select count(*) filter (where name = 'Approved')::int as approved,
      count(*) filter (where name = 'Unapproved')::int as unapproved from "oauthClient"`)
    expect(counts).toEqual({ approved: 1100, unapproved: 0 })
    await database.query(`delete from "oauthClient" where name = 'Approved'`)
    await large.close()
  })

  it('is limited like sign-ups', async () => {
    const limited = await openOAuthApp(database, { registration: 'dynamic' }, { throttle: {} })
    const attempt = (): Promise<Response> =>
      limited.send('/api/auth/oauth2/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token_endpoint_auth_method: 'none', redirect_uris: [REDIRECT] }),
      })
    for (let count = 0; count < 5; count++) expect((await attempt()).status).toBe(201)
    const rejected = await attempt()
    expect([rejected.status, Number(rejected.headers.get('retry-after')) > 0]).toEqual([429, true])
    const description = expect.stringContaining('Too many attempts') as string
    expect(await rejected.json()).toEqual({ error: 'temporarily_unavailable', error_description: description })
    await limited.close()
    await database.query(`delete from "oauthClient" where name is null`)
  })

  it('rejects documents that describe another client or nothing', async () => {
    for (const [members, problem] of [
      [{ client_id: 'https://other.example/client.json' }, /must be the URL/],
      [{ client_name: ' ' }, /client_name/],
      [{ client_uri: 'javascript:alert(1)' }, /client_uri must be/],
      [{ redirect_uris: ['https://localhost/x'] }, /redirect/],
      [{ token_endpoint_auth_method: 'client_secret_basic' }, /shared secret/],
      [{ client_uri: 'x'.repeat(20_000) }, /bytes/],
    ] as const) {
      const client = await serveClient(members)
      const response = await app.send(`/api/auth/oauth2/authorize?${String(authorization(app, client.clientId))}`)
      expect(JSON.stringify(await response.json())).toMatch(problem)
      client.close()
    }
  })

  it('reads a document again after an hour, and uses the old one for a day if that fails', async () => {
    const client = await serveClient()
    const open = async (): Promise<string> => (await authorize(app, authorization(app, client.clientId))).pathname
    const setAge = (age: string): Promise<unknown> =>
      database.query(`update "oauthClient" set "updatedAt" = now() - $1::interval where "clientId" = $2`, [
        age,
        client.clientId,
      ])
    expect([await open(), await open(), client.requests()]).toEqual(['/login', '/login', 1])
    await setAge('2 hours')
    expect([await open(), client.requests()]).toEqual(['/login', 2])
    client.close()
    await setAge('2 hours')
    expect(await open()).toBe('/login')
    await setAge('25 hours')
    await expect(open()).rejects.toThrow('could not be read')
  })
})

describe('fetchPublic', () => {
  it('accepts only https on public hosts, and loopback hosts in development', () => {
    for (const url of [
      'http://example.com/c',
      'https://127.0.0.1/c',
      'https://localhost/c',
      'https://10.0.0.1/c',
      'https://169.254.169.254/c',
      'https://[::1]/c',
      'https://[::ffff:10.0.0.1]/c',
      'https://[fd00::1]/c',
      'https://0x7f.1/c',
      'https://user@example.com/c',
      'file:///etc/passwd',
      'nonsense',
    ])
      expect([url, isFetchable(url, false)]).toEqual([url, false])
    expect(isFetchable('https://example.com/c', false)).toBe(true)
    for (const [url, isAllowed] of [
      ['http://127.0.0.1:1/c', true],
      ['http://localhost:1/c', true],
      ['https://10.0.0.1/c', false],
      ['http://example.com/c', false],
    ] as const)
      expect([url, isFetchable(url, true)]).toEqual([url, isAllowed])
  })

  it('rejects a host name that resolves to an internal address', async () => {
    for (const addresses of [['10.0.0.1'], ['93.184.215.14', '127.0.0.1'], ['::1'], ['169.254.169.254']]) {
      const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
      const fetched = fetchPublic('https://client.example/c', {
        allowsLoopback: true,
        resolveHost: (_host, _options, callback) => callback(null, found),
      })
      await expect(fetched).rejects.toThrow('internal address')
    }
  })

  it('rejects redirects and statuses other than 200', async () => {
    const server = createServer((_request, response) =>
      response.writeHead(302, { location: 'https://x.example' }).end(),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/c`
    await expect(fetchPublic(url, { allowsLoopback: true })).rejects.toThrow('302')
    server.close()
  })
})

describe('the mcp option', () => {
  const connectionString = 'pglite://memory'
  const pages = { loginPage: '/login', consentPage: '/consent' }
  // Otherwise, a development secret would be stored in the working directory, which is the checkout.
  const secret = 'only-for-these-tests-only-for-these-tests'
  it('is validated at the call', () => {
    for (const [mcp, problem] of [
      [{ ...pages, loginPage: 'https://x.example/login' }, /mcp\.loginPage must be a path/],
      [{ ...pages, resources: [] }, /mcp\.resources/],
      [{ ...pages, scopes: ['a b'] }, /mcp\.scopes/],
      [{ ...pages, registration: 'open' as never }, /mcp\.registration/],
      [{ ...pages, maxClients: 0 }, /mcp\.maxClients/],
    ] as const)
      expect(() => createAuth({ connectionString, secret, mcp })).toThrow(problem)
  })

  it('needs its tables, which `auth.migrate()` creates too', async () => {
    const database = openDatabase(await emptyDatabase())
    await createAuth({ database, secret }).ready()
    const auth = createAuth({ database, secret, mcp: pages, autoMigrate: false })
    await expect(auth.ready()).rejects.toThrow(/oauthClient.* missing/)
    await auth.migrate()
    await auth.ready()
    await database.close()
  })
})
