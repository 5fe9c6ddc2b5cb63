import { createApp, createRouter } from '@sdk/server'
import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { getToken, readJson, SECRET, signedIn } from './auth-app.test.fixture.ts'
import { createAuth, mountAuthRoutes } from './index.ts'

const connectionString = await emptyDatabase()

describe('auth routes with a limit for attempts', () => {
  const auth = createAuth({ connectionString, secret: SECRET, baseURL: 'http://app.test' })
  const router = createRouter().on('GET|POST /api/auth/*', mountAuthRoutes(auth))
  const app = createApp({ router, rateLimit: { auth: { quota: 4, window: 60 } } })

  afterAll(async () => {
    await app.close()
    await auth.close()
  })

  it('limit sign-in attempts per address, but not access tokens', async () => {
    const browser = await signedIn(app)
    for (let page = 0; page < 10; page++) await getToken(browser)
    const statuses: number[] = []
    for (let guess = 0; guess < 4; guess++)
      statuses.push(
        (await browser.post('/api/auth/sign-in/email', { email: 'eve@example.com', password: 'no' })).status,
      )
    expect(statuses).toEqual([401, 401, 429, 429])
    const refused = await browser.post('/api/auth/sign-in/email', {})
    expect(await readJson(refused)).toMatchObject({ error: { details: [{ policy: 'auth' }] } })
  })
})
