import { openDatabase } from '@sdk/database'
import { createDatabase, hasPostgres, startPostgres } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { ADA, createTestApp, getToken, ORIGIN, SECRET, signedIn } from './auth-app.test.fixture.ts'
import { createAuth } from './index.ts'

describe.skipIf(!hasPostgres())('createAuth on a PostgreSQL server', () => {
  it('lets six instances migrate the same empty database concurrently', async () => {
    const connectionString = await createDatabase()
    const fleet = Array.from({ length: 6 }, () => createAuth({ connectionString, secret: SECRET }))
    await Promise.all(fleet.map((auth) => auth.ready()))
    const [first, last] = [fleet[0], fleet.at(-1)]
    if (!first || !last) throw new Error('no fleet')
    const browser = await signedIn(createTestApp(first))
    const elsewhere = await createTestApp(last).fetch(
      new Request(`${ORIGIN}/api/me`, { headers: { cookie: browser.cookie() } }),
    )
    expect(elsewhere.status).toBe(200)
    await Promise.all(fleet.map((auth) => auth.close()))
  })

  it('rejects an unsafe change and leaves the tables unchanged', async () => {
    const database = openDatabase(await createDatabase())
    const auth = createAuth({ database, secret: SECRET })
    await auth.ready()
    await signedIn(createTestApp(auth))
    const schema = { user: { fields: { badge: { type: 'string', required: true } }, modelName: 'user' } }
    const extra = { extra: { fields: { name: { type: 'string' } } } }
    const unsafe = createAuth({
      database,
      secret: SECRET,
      plugins: [Object.assign({ id: 'unsafe' }, { schema: { ...extra, ...schema } })],
    })
    await expect(unsafe.ready()).rejects.toThrow('badge')
    const tables = await database.query(`select table_name from information_schema.tables where table_name = 'extra'`)
    expect(tables).toEqual([])
    await database.close()
  })

  it('returns 503 instead of 401 while the server is down, and recovers', async () => {
    const server = await startPostgres()
    const auth = createAuth({ connectionString: server.url, secret: SECRET, sessionCacheMs: 0 })
    const app = createTestApp(auth)
    const browser = await signedIn(app)
    const { token } = await getToken(browser)
    const asBearer = { authorization: `Bearer ${token}` }
    const asCookie = { cookie: browser.cookie(), origin: ORIGIN, 'content-type': 'application/json' }
    const body = JSON.stringify(ADA)
    await server.kill()
    for (const headers of [asBearer, asCookie])
      expect((await app.fetch(new Request(`${ORIGIN}/api/me`, { headers }))).status).toBe(503)
    for (const path of ['/access-token', '/sign-out', '/sign-in/email', '/sign-up/email']) {
      const request = new Request(`${ORIGIN}/api/auth${path}`, { method: 'POST', headers: asCookie, body })
      expect((await auth.handler(request)).status).toBe(503)
    }
    const reading = new Request(`${ORIGIN}/api/auth/get-session`, { headers: asCookie })
    expect((await auth.handler(reading)).status).toBe(503)
    await server.start()
    expect((await browser.get('/api/me')).status).toBe(200)
    await auth.close()
    await server.stop()
  })
})
