import { openDatabase } from '@sdk/database'
import { createApp, createLog, createRouter } from '@sdk/server'
import { emptyDatabase } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { ADA, ORIGIN, SECRET } from '../auth-app.test.fixture.ts'
import { createAuth, createSessionMiddleware, mountAuthRoutes } from '../index.ts'

describe('auth routes of an app with formatError', () => {
  it('send their errors in its format', async () => {
    const database = openDatabase(await emptyDatabase())
    const auth = createAuth({ database, secret: SECRET, baseURL: ORIGIN })
    const app = createApp({
      router: createRouter()
        .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
        .use('/api/me', createSessionMiddleware(auth))
        .on('GET /api/me', () => 'me'),
      log: createLog({ write: () => {} }),
      rateLimit: false,
      formatError: ({ status, code, message, details }, ctx) => ({
        status,
        body: { errors: [code, message], fields: details.map(({ pointer }) => pointer), route: ctx?.route },
      }),
    })
    const send = (path: string, body?: unknown): Promise<Response> =>
      app.fetch(
        new Request(ORIGIN + path, {
          headers: { origin: ORIGIN, 'content-type': 'application/json' },
          ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        }),
      )

    expect((await send('/api/auth/sign-up/email', ADA)).status).toBe(200)
    const wrong = await send('/api/auth/sign-in/email', { ...ADA, password: 'something-else' })
    expect([wrong.status, wrong.headers.get('www-authenticate'), await wrong.json()]).toEqual([
      401,
      'Bearer',
      { errors: ['INVALID_EMAIL_OR_PASSWORD', 'Invalid email or password'], fields: [], route: 'POST /api/auth/*' },
    ])
    const invalid = await send('/api/auth/sign-up/email', { email: 'no-address', password: ADA.password })
    expect([invalid.status, await invalid.json()]).toMatchObject([400, { fields: expect.any(Array) as unknown }])
    const missing = await send('/api/auth/nowhere')
    expect([missing.status, await missing.json()]).toMatchObject([404, { errors: ['NOT_FOUND', expect.any(String)] }])
    const session = await send('/api/me')
    expect([session.status, await session.json()]).toMatchObject([
      401,
      { errors: ['UNAUTHORIZED', expect.any(String)] },
    ])
    await app.close()
    await database.close()
  })
})
