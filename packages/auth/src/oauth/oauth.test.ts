import { type Database, openDatabase } from '@sdk/database'
import { ONE_KIND } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readJson } from '../auth-app.test.fixture.ts'
import { createAuthClient } from '../client.ts'
import {
  approve,
  authorization,
  authorize,
  exchange,
  getTokens,
  type OAuthApp,
  openOAuthApp,
  openSocket,
  postForm,
  REDIRECT,
  serveClient,
  type SignedInUser,
  signUp,
} from './oauth-app.test.fixture.ts'

for (const { kind, isHere, open } of ONE_KIND) {
  describe.skipIf(!isHere)(`OAuth for MCP clients on ${kind}`, () => {
    let database: Database
    let app: OAuthApp
    let client: Awaited<ReturnType<typeof serveClient>>
    let ada: SignedInUser
    beforeAll(async () => {
      database = await open(openDatabase)
      app = await openOAuthApp(database)
      client = await serveClient()
      ada = await signUp(app)
    })
    afterAll(async () => {
      client.close()
      await app.close()
      await database.close()
    })

    it('leads a client from a 401 to a call: metadata, sign-in, consent, code, token', async () => {
      const refused = await app.send('/api/mcp', { method: 'POST' })
      expect(refused.status).toBe(401)
      const metadata = `${app.url}/.well-known/oauth-protected-resource/api/mcp`
      expect(refused.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadata}"`)

      const described = await app.send(metadata)
      expect(described.headers.get('access-control-allow-origin')).toBe('*')
      const issuer = `${app.url}/api/auth`
      expect(await described.json()).toEqual({
        resource: app.resource,
        authorization_servers: [issuer],
        bearer_methods_supported: ['header'],
        scopes_supported: ['read', 'write'],
      })
      const server = await readJson(await app.send('/.well-known/oauth-authorization-server/api/auth'))
      expect(server).toMatchObject({
        issuer,
        authorization_endpoint: `${issuer}/oauth2/authorize`,
        token_endpoint: `${issuer}/oauth2/token`,
        scopes_supported: ['offline_access', 'read', 'write'],
        code_challenge_methods_supported: ['S256'],
        client_id_metadata_document_supported: true,
      })
      expect(server).not.toHaveProperty('registration_endpoint')

      const parameters = authorization(app, client.clientId)
      const loginPage = await authorize(app, parameters)
      expect(loginPage.pathname).toBe('/login')
      const consentPage = await authorize(app, parameters, ada.cookie)
      const shown = await app.send(`/api/auth/oauth2/public-client?client_id=${encodeURIComponent(client.clientId)}`, {
        headers: { cookie: ada.cookie },
      })
      expect(await readJson(shown)).toMatchObject({ client_id: client.clientId, client_name: 'A client' })
      const code = await approve(ada, consentPage)

      const issued = await exchange(app, client.clientId, { code })
      expect([issued.status, issued.headers.get('cache-control')]).toEqual([200, 'no-store'])
      const tokens = await readJson(issued)
      expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'read offline_access', expires_in: 3600 })
      const answer = await app.call('/api/mcp', String(tokens['access_token']))
      expect(await readJson(answer)).toEqual({
        via: 'oauth',
        scopes: ['read', 'offline_access'],
        user: 'ada@example.com',
      })

      const refreshed = await postForm(app, '/api/auth/oauth2/token', {
        grant_type: 'refresh_token',
        client_id: client.clientId,
        refresh_token: String(tokens['refresh_token']),
      })
      const { access_token: next } = await readJson(refreshed)
      expect((await app.call('/api/mcp', String(next))).status).toBe(200)
      expect(client.requests()).toBe(1)
    })

    it('continues after the sign-in on the login page', async () => {
      const loginPage = await authorize(app, authorization(app, client.clientId))
      const grace = await signUp(app, `grace-${kind}@example.com`)
      const send = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
        const request = new Request(input, init)
        request.headers.set('cookie', grace.cookie)
        return fetch(request)
      }
      const browser = createAuthClient({ baseUrl: app.url, fetch: send })
      const consentPage = new URL(await browser.authorizeClient({ query: loginPage.search }), app.url)
      expect(consentPage.pathname).toBe('/consent')
      const denied = new URL(await browser.authorizeClient({ query: consentPage.search, accept: false }))
      expect(denied.searchParams.get('error')).toBe('access_denied')
      const approved = new URL(await browser.authorizeClient({ query: consentPage.search, accept: true }))
      expect(approved.searchParams.get('code')).toMatch(/^\w+$/)
      expect([approved.searchParams.get('state'), approved.searchParams.get('iss')]).toEqual([
        'a state',
        `${app.url}/api/auth`,
      ])
    })

    it('uses its tables again after a restart', async () => {
      const again = await openOAuthApp(database)
      expect((await again.send('/.well-known/oauth-authorization-server')).status).toBe(200)
      await again.close()
    })

    it('skips the consent page only for an approved client, resource and scope', async () => {
      await getTokens(app, { user: ada, clientId: client.clientId })
      const next = async (more: Record<string, string>): Promise<string> => {
        const { origin, pathname } = await authorize(app, authorization(app, client.clientId, more), ada.cookie)
        return origin + pathname
      }
      expect(await next({})).toBe(REDIRECT)
      expect(await next({ redirect_uri: 'http://127.0.0.1:8888/callback' })).toBe('http://127.0.0.1:8888/callback')
      expect(await next({ scope: 'write' })).toBe(`${app.url}/consent`)
      expect(await next({ resource: `${app.url}/api/other` })).toBe(`${app.url}/consent`)
    })

    it('accepts a token only at the resource that it was issued for', async () => {
      const { access_token: token } = await getTokens(app, { user: ada, clientId: client.clientId })
      for (const [path, status] of [
        ['/api/mcp', 200],
        ['/api/other', 401],
        ['/api/me', 401],
        ['/api/auth/list-sessions', 401],
      ] as const)
        expect([path, (await app.call(path, token)).status]).toEqual([path, status])
      const session = await app.call('/api/auth/get-session', token)
      expect(await session.json()).toBeNull()
      const wrong = await app.call('/api/other', token)
      expect(wrong.headers.get('www-authenticate')).toBe(
        `Bearer error="invalid_token", resource_metadata="${app.url}/.well-known/oauth-protected-resource/api/other"`,
      )
      expect((await app.call('/api/me', token)).headers.get('www-authenticate')).toBe('Bearer')
    })

    it('accepts a token neither for a socket nor as a session token', async () => {
      const bearer = await openOAuthApp(database, {}, { bearer: true })
      const user = await signUp(bearer, `barbara-${kind}@example.com`)
      const { access_token: token } = await getTokens(bearer, { user, clientId: client.clientId })
      expect((await bearer.call('/api/mcp', token)).status).toBe(200)
      const headers = { authorization: `Bearer ${token}` }
      const access = await bearer.send('/api/auth/access-token', { method: 'POST', headers })
      expect(access.status).toBe(401)
      expect(await openSocket(bearer, token)).toBe(4401)
      await bearer.close()
    })

    it('binds a token to a resource even if the client requests none', async () => {
      const parameters = authorization(app, client.clientId)
      parameters.delete('resource')
      const sentTo = await authorize(app, parameters, ada.cookie)
      const code = sentTo.searchParams.get('code') ?? (await approve(ada, sentTo))
      const other = await exchange(app, client.clientId, { code, resource: `${app.url}/api/other` })
      expect([other.status, (await readJson(other))['error']]).toEqual([400, 'invalid_target'])
    })

    it('responds with 403 and the scope if the token lacks it', async () => {
      const { access_token: token } = await getTokens(app, { user: ada, clientId: client.clientId })
      const refused = await app.call('/api/mcp/write', token)
      expect(refused.status).toBe(403)
      expect(refused.headers.get('www-authenticate')).toMatch(
        /^Bearer error="insufficient_scope", scope="write", resource_metadata="http:\S+\/api\/mcp"$/,
      )
      expect(await refused.json()).toMatchObject({ error: { code: 'INSUFFICIENT_SCOPE' } })
      const wider = await getTokens(app, { user: ada, clientId: client.clientId, scope: 'read write' })
      expect(wider.refresh_token).toMatch(/^ort_/)
      expect((await app.call('/api/mcp/write', wider.access_token)).status).toBe(200)
      const own = await app.send('/api/mcp/write', { headers: { cookie: ada.cookie } })
      expect(own.status).toBe(200)
    })

    it('rejects expired and revoked tokens, and those of clients without consent', async () => {
      const tokens = async (): Promise<{ access_token: string; refresh_token: string }> =>
        getTokens(app, { user: ada, clientId: client.clientId })
      const statusOf = async (token: string): Promise<number> => (await app.call('/api/mcp', token)).status

      const expired = await tokens()
      expect(await statusOf(expired.access_token)).toBe(200)
      await database.query(`update "oauthAccessToken" set "expiresAt" = now() - interval '1 second'`)
      expect(await statusOf(expired.access_token)).toBe(401)

      const revoked = await tokens()
      const revocation = { client_id: client.clientId, token: revoked.access_token }
      expect((await postForm(app, '/api/auth/oauth2/revoke', revocation)).status).toBe(200)
      expect(await statusOf(revoked.access_token)).toBe(401)

      const deleted = await tokens()
      const consents = await app.send('/api/auth/oauth2/get-consents', { headers: { cookie: ada.cookie } })
      const [consent] = (await consents.json()) as { id: string }[]
      const stranger = await signUp(app, `eve-${kind}@example.com`)
      const removal = { id: consent?.id }
      expect((await stranger.post('/api/auth/oauth2/delete-consent', removal)).status).toBe(404)
      expect(await statusOf(deleted.access_token)).toBe(200)
      expect((await ada.post('/api/auth/oauth2/delete-consent', removal)).status).toBe(200)
      expect(await statusOf(deleted.access_token)).toBe(401)
      const refresh = { grant_type: 'refresh_token', client_id: client.clientId, refresh_token: deleted.refresh_token }
      const refreshed = await postForm(app, '/api/auth/oauth2/token', refresh)
      expect([refreshed.status, (await readJson(refreshed))['error']]).toEqual([400, 'invalid_grant'])
    })

    it('ends the access tokens of a session and of a deleted user', async () => {
      const user = await signUp(app, `linus-${kind}@example.com`)
      const first = await getTokens(app, { user, clientId: client.clientId })
      expect((await user.post('/api/auth/sign-out', {})).status).toBe(200)
      expect((await app.call('/api/mcp', first.access_token)).status).toBe(401)
      const gone = await signUp(app, `edsger-${kind}@example.com`)
      const { access_token: token } = await getTokens(app, { user: gone, clientId: client.clientId })
      await database.query(`delete from "user" where email = $1`, [`edsger-${kind}@example.com`])
      expect((await app.call('/api/mcp', token)).status).toBe(401)
    })

    it('gives a client only the account of the user who approves it', async () => {
      const parameters = authorization(app, client.clientId, { scope: 'write' })
      const [alan, eve] = [await signUp(app, `alan-${kind}@example.com`), await signUp(app, `ed-${kind}@example.com`)]
      const consentPage = await authorize(app, parameters, alan.cookie)
      const { access_token: token } = await readJson(
        await exchange(app, client.clientId, { code: await approve(eve, consentPage) }),
      )
      const answer = await app.call('/api/mcp', String(token))
      expect(await readJson(answer)).toMatchObject({ user: `ed-${kind}@example.com` })
      expect((await authorize(app, parameters, alan.cookie)).pathname).toBe('/consent')
    })

    it('rejects a reused code and revokes its tokens', async () => {
      const sentTo = await authorize(app, authorization(app, client.clientId), ada.cookie)
      const code = sentTo.searchParams.get('code') ?? (await approve(ada, sentTo))
      const { access_token: token } = await readJson(await exchange(app, client.clientId, { code }))
      expect((await app.call('/api/mcp', String(token))).status).toBe(200)
      const reused = await exchange(app, client.clientId, { code })
      expect([reused.status, (await readJson(reused))['error']]).toEqual([400, 'invalid_grant'])
      expect((await app.call('/api/mcp', String(token))).status).toBe(401)
    })

    it('rejects a code with another verifier, redirect or client', async () => {
      const other = await serveClient({ client_name: 'Another client' })
      for (const [more, error] of [
        [{ code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
        [{ redirect_uri: 'http://127.0.0.1:9999/callback' }, 'invalid_grant'],
        [{ client_id: other.clientId }, 'invalid_grant'],
      ] as const) {
        const sentTo = await authorize(app, authorization(app, client.clientId), ada.cookie)
        const code = sentTo.searchParams.get('code') ?? (await approve(ada, sentTo))
        const refused = await exchange(app, client.clientId, { code, ...more })
        expect([more, refused.status, (await readJson(refused))['error']]).toEqual([more, 400, error])
      }
      other.close()
    })

    it('does not send the browser to a foreign address, and requires S256', async () => {
      for (const redirect of ['https://evil.example/callback', `${REDIRECT}/x`, 'http://127.0.0.2:7777/callback']) {
        const url = await authorize(app, authorization(app, client.clientId, { redirect_uri: redirect }), ada.cookie)
        expect(url.origin + url.pathname).toBe(`${app.url}/api/auth/error`)
      }
      for (const more of [{ code_challenge: '' }, { code_challenge_method: 'plain' }]) {
        const url = await authorize(app, authorization(app, client.clientId, more), ada.cookie)
        expect([url.origin, url.searchParams.get('error')]).toEqual(['http://127.0.0.1:7777', 'invalid_request'])
      }
    })

    it('ignores the consent of pages on other sites, and offers no other routes of the provider', async () => {
      const consentPage = await authorize(app, authorization(app, client.clientId, { scope: 'write' }), ada.cookie)
      const forged = await app.send('/api/auth/oauth2/consent', {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'https://evil.example', cookie: ada.cookie },
        body: JSON.stringify({ accept: true, oauth_query: consentPage.search.slice(1) }),
      })
      expect(forged.status).toBe(403)
      const expired = { accept: true, oauth_query: consentPage.search.slice(1).replace(/exp=\d+/, 'exp=1') }
      const late = await ada.post('/api/auth/oauth2/consent', expired)
      expect([late.status, await late.text()]).toEqual([400, expect.stringContaining('request has expired')])
      for (const path of ['create-client', 'update-client', 'update-consent', 'userinfo', 'end-session'])
        expect((await ada.post(`/api/auth/oauth2/${path}`, {})).status).toBe(404)
      expect((await ada.post('/api/auth/oauth2/register', { redirect_uris: [REDIRECT] })).status).toBe(403)
    })
  })
}
