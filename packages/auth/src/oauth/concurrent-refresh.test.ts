import { type Database, openDatabase } from '@sdk/database'
import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readJson } from '../auth-app.test.fixture.ts'
import { withConcurrentRefresh } from './concurrent-refresh.ts'
import {
  authorization,
  authorize,
  exchange,
  getTokens,
  type OAuthApp,
  openOAuthApp,
  postForm,
  serveClient,
  signUp,
} from './oauth-app.test.fixture.ts'

describe('concurrent requests of OAuth clients', () => {
  let database: Database
  let app: OAuthApp
  let client: Awaited<ReturnType<typeof serveClient>>
  beforeAll(async () => {
    database = openDatabase(await emptyDatabase())
    app = await openOAuthApp(database)
    client = await serveClient()
  })
  afterAll(async () => {
    client.close()
    await app.close()
    await database.close()
  })
  const refresh = (token: string, more: Record<string, string> = {}): Promise<Response> =>
    postForm(app, '/api/auth/oauth2/token', {
      grant_type: 'refresh_token',
      client_id: client.clientId,
      refresh_token: token,
      ...more,
    })

  it('get the same tokens if they use the same refresh token at the same time', async () => {
    const user = await signUp(app)
    const { refresh_token: token } = await getTokens(app, { user, clientId: client.clientId })
    const responses = await Promise.all(Array.from({ length: 4 }, () => refresh(token)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const tokens = await Promise.all(responses.map(readJson))
    expect(new Set(tokens.map((one) => one['refresh_token'])).size).toBe(1)
    expect((await app.call('/api/mcp', String(tokens[3]?.['access_token']))).status).toBe(200)
    expect((await refresh(String(tokens[3]?.['refresh_token']))).status).toBe(200)
  })

  it('are rejected if the refresh token was used before', async () => {
    const user = await signUp(app, 'grace@example.com')
    const { refresh_token: token } = await getTokens(app, { user, clientId: client.clientId })
    expect((await refresh(token)).status).toBe(200)
    await database.query(`update "oauthRefreshToken" set "rotationReplayExpiresAt" = now() - interval '1 second'`)
    const reused = await refresh(token)
    expect([reused.status, (await readJson(reused))['error']]).toEqual([400, 'invalid_grant'])
  })

  it('are rejected if another request revokes the grant before the access token is stored', async () => {
    const fault = Object.assign(new Error('violates foreign key constraint'), { code: '23503' })
    const endpoint = withConcurrentRefresh(() => Promise.reject(fault)) as (ctx: object) => Promise<unknown>
    const error = { statusCode: 400, body: { error: 'invalid_grant' } }
    await expect(endpoint({ body: {} })).rejects.toMatchObject(error)
  })

  it('lead to no valid token if the user deletes the consent in the meantime', async () => {
    const user = await signUp(app, 'alan@example.com')
    await getTokens(app, { user, clientId: client.clientId })
    const { searchParams } = await authorize(app, authorization(app, client.clientId), user.cookie)
    const consents = await app.send('/api/auth/oauth2/get-consents', { headers: { cookie: user.cookie } })
    const [consent] = (await consents.json()) as { id: string }[]
    expect((await user.post('/api/auth/oauth2/delete-consent', { id: consent?.id })).status).toBe(200)
    const late = await readJson(await exchange(app, client.clientId, { code: searchParams.get('code') ?? '' }))
    expect((await app.call('/api/mcp', String(late['access_token']))).status).toBe(401)
    const approved = await getTokens(app, { user, clientId: client.clientId })
    expect((await app.call('/api/mcp', approved.access_token)).status).toBe(200)
  })
})
