import { openDatabase } from '@sdk/database'
import { createApp, createLog, createRouter } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { ADA, ORIGIN, SECRET } from '../auth-app.test.fixture.ts'
import { createAuth, createSessionMiddleware, mountAuthRoutes } from '../index.ts'

describe('auth routes without a database', () => {
  it.each([
    ['/api/auth/sign-in/email', JSON.stringify(ADA), { error: { code: 'SERVICE_UNAVAILABLE' } }],
    ['/api/auth/oauth2/token', new URLSearchParams({ grant_type: 'x' }), { error: 'temporarily_unavailable' }],
  ])('respond with 503, and the log has the reason: %s', async (path, body, error) => {
    const lines: string[] = []
    const database = openDatabase('postgres://127.0.0.1:1/nowhere')
    const mcp = { loginPage: '/login', consentPage: '/consent' }
    const auth = createAuth({ database, secret: SECRET, baseURL: ORIGIN, mcp })
    const router = createRouter()
      .use('/api/*', createSessionMiddleware(auth, { optional: true }))
      .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
    const app = createApp({ router, log: createLog({ write: (line) => void lines.push(line) }), rateLimit: false })
    const type = typeof body === 'string' && { 'content-type': 'application/json' }
    const request = new Request(ORIGIN + path, { method: 'POST', headers: { origin: ORIGIN, ...type }, body })
    const response = await app.fetch(request)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await response.json()).toMatchObject(error)
    const reasons = lines.filter((line) => line.includes('handler failed with SERVICE_UNAVAILABLE'))
    expect(reasons).toEqual([expect.stringContaining('ECONNREFUSED')])
    await app.close()
    await auth.close()
    await database.close()
  })
})
