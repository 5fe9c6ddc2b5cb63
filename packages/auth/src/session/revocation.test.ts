import { type Database, openDatabase } from '@sdk/database'
import { memoryEngine } from '@sdk/server'
import { emptyDatabase } from '@sdk/test-kit'
import { admin } from 'better-auth/plugins'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADA, type Browser, createBrowser, getToken, ORIGIN, readJson } from '../auth-app.test.fixture.ts'
import { connect, type OpenSocket, type Process, startProcess } from './two-apps.test.fixture.ts'

// An hour, so that no test passes because a cached session expired.
const OPTIONS = { sessionCacheMs: 3_600_000, plugins: [admin()] }

describe('sessions shared by two processes', () => {
  let database: Database
  let here: Process
  let there: Process
  let count = 0
  beforeAll(async () => {
    database = openDatabase(await emptyDatabase())
    const shared = { database, engine: memoryEngine() }
    here = await startProcess(shared, OPTIONS)
    there = await startProcess(shared, OPTIONS)
  })
  afterAll(async () => {
    await Promise.all([here.close(), there.close()])
    await database.close()
  })

  interface Visitor {
    readonly browser: Browser
    readonly id: string
    readonly email: string
    readonly credentials: readonly Record<string, string>[]
  }

  /** Creates a user who is signed in. */
  async function createVisitor(): Promise<Visitor> {
    const email = `user${(count += 1)}@example.com`
    const browser = createBrowser(here.app)
    const signUp = await browser.post('/api/auth/sign-up/email', { ...ADA, email })
    const { user } = (await readJson(signUp)) as { user: { id: string } }
    return withToken({ browser, id: user.id, email })
  }

  async function signInAgain({ email, id }: Visitor): Promise<Visitor> {
    const browser = createBrowser(here.app)
    expect((await browser.post('/api/auth/sign-in/email', { ...ADA, email })).status).toBe(200)
    return withToken({ browser, id, email })
  }

  async function withToken(visitor: Omit<Visitor, 'credentials'>): Promise<Visitor> {
    const { token } = await getToken(visitor.browser)
    return {
      ...visitor,
      credentials: [{ cookie: visitor.browser.cookie() }, { authorization: `Bearer ${token}` }],
    }
  }

  /** Returns the status from each process for each of the visitor's credentials. */
  async function statuses({ credentials }: Visitor): Promise<number[]> {
    const requests = [here, there].flatMap(({ app }) =>
      credentials.map((headers) => app.fetch(new Request(`${ORIGIN}/api/me`, { headers }))),
    )
    return (await Promise.all(requests)).map(({ status }) => status)
  }

  async function sockets({ credentials }: Visitor): Promise<OpenSocket[]> {
    return Promise.all([here, there].flatMap((process) => credentials.map((headers) => connect(process, headers))))
  }

  async function asAdmin(): Promise<Browser> {
    const { browser, id, email } = await createVisitor()
    await database.query(`update "user" set role = 'admin' where id = $1`, [id])
    return (await signInAgain({ browser, id, email, credentials: [] })).browser
  }

  const post = async (browser: Browser, path: string, body: object = {}): Promise<void> => {
    const response = await browser.post(`/api/auth${path}`, body)
    expect({ path, status: response.status }).toEqual({ path, status: 200 })
  }

  const WAYS: Record<string, (visitor: Visitor) => Promise<void>> = {
    'a sign-out': ({ browser }) => post(browser, '/sign-out'),
    'a sign-out with only an access token': async ({ credentials: [, headers = {}] }) => {
      const request = new Request(`${ORIGIN}/api/auth/sign-out`, { method: 'POST', headers })
      expect(await readJson(await here.app.fetch(request))).toEqual({ success: true })
    },
    'endSession of the development tools': async ({ credentials: [, headers = {}] }) =>
      here.auth.development?.endSession((headers['authorization'] ?? '').slice('Bearer '.length)),
    'revoke-sessions': ({ browser }) => post(browser, '/revoke-sessions'),
    'revoke-other-sessions': async (visitor) => post((await signInAgain(visitor)).browser, '/revoke-other-sessions'),
    'a password change': async (visitor) => {
      const passwords = { currentPassword: ADA.password, newPassword: 'correct donkey' }
      await post((await signInAgain(visitor)).browser, '/change-password', passwords)
    },
    'a ban': async ({ id }) => post(await asAdmin(), '/admin/ban-user', { userId: id }),
    'the removal of the user': async ({ id }) => post(await asAdmin(), '/admin/remove-user', { userId: id }),
  }

  it.each(Object.entries(WAYS))('end with their sockets in every process after %s', async (_, end) => {
    const [visitor, other] = [await createVisitor(), await createVisitor()]
    expect([await statuses(visitor), await statuses(other)]).toEqual([Array(4).fill(200), Array(4).fill(200)])
    const [open, others] = [await sockets(visitor), await sockets(other)]
    await end(visitor)
    expect(await statuses(visitor)).toEqual(Array(4).fill(401))
    await expect.poll(() => open.filter(({ isOpen }) => isOpen())).toEqual([])
    expect(await Promise.all(open.map(({ closed }) => closed))).toEqual(Array(4).fill(4401))
    expect(await statuses(other)).toEqual(Array(4).fill(200))
    expect(others.every(({ isOpen }) => isOpen())).toBe(true)
  })

  it('stay open if they revoke the others', async () => {
    const visitor = await createVisitor()
    const again = await signInAgain(visitor)
    const [kept] = await sockets(again)
    await post(again.browser, '/revoke-other-sessions')
    expect([await statuses(visitor), await statuses(again)]).toEqual([Array(4).fill(401), Array(4).fill(200)])
    expect(kept?.isOpen()).toBe(true)
  })

  it('all end, even if Better Auth does not list all of them', async () => {
    const first = await createVisitor()
    const text = `insert into session (id, token, "userId", "expiresAt", "createdAt", "updatedAt")
      select 's' || n || $1, 't' || n || $1, $1, now() + interval '1 day', now(), now() from generate_series(1, 120) n`
    await database.query(text, [first.id])
    const last = await signInAgain(first)
    const open = [...(await sockets(first)), ...(await sockets(last))]
    expect([await statuses(first), await statuses(last)]).toEqual([Array(4).fill(200), Array(4).fill(200)])
    await post((await signInAgain(first)).browser, '/revoke-other-sessions')
    expect([await statuses(first), await statuses(last)]).toEqual([Array(4).fill(401), Array(4).fill(401)])
    expect(await Promise.all(open.map(({ closed }) => closed))).toEqual(Array(8).fill(4401))
  })

  it('return the updated user in requests and open sockets', async () => {
    const visitor = await createVisitor()
    const names = async (): Promise<unknown[]> =>
      Promise.all(
        [here, there].flatMap(({ app }) =>
          visitor.credentials.map(async (headers) => {
            const me = await app.fetch(new Request(`${ORIGIN}/api/me`, { headers }))
            return (await readJson(me))['name']
          }),
        ),
      )
    const open = await sockets(visitor)
    expect([await names(), await Promise.all(open.map((socket) => socket.requestName()))]).toEqual([
      Array(4).fill('Ada'),
      Array(4).fill('Ada'),
    ])
    await post(visitor.browser, '/update-user', { name: 'Countess' })
    expect([await names(), await Promise.all(open.map((socket) => socket.requestName()))]).toEqual([
      Array(4).fill('Countess'),
      Array(4).fill('Countess'),
    ])
  })

  it('apply a change of the user to live data at once', async () => {
    const [visitor, other] = [await createVisitor(), await createVisitor()]
    const subscribe = async (process: Process, { credentials: [, headers = {}] }: Visitor): Promise<OpenSocket> => {
      const socket = await connect(process, headers, '/ws/_live')
      const message = JSON.stringify({ sub: 1, route: 'GET /api/v1/secrets' })
      expect(await socket.request(message)).toMatchObject({ sub: 1, all: { data: [] } })
      return socket
    }
    const open = await Promise.all([here, there].map((process) => subscribe(process, visitor)))
    const kept = await subscribe(there, other)
    const ends = open.map((socket) => socket.receive())
    await post(visitor.browser, '/update-user', { name: 'Countess' })
    expect(await Promise.all(ends)).toMatchObject([{ status: 403 }, { status: 403 }])
    expect(await kept.request('{"sync":[1]}')).toMatchObject({ synced: [1] })
  })

  it('close their sockets when they expire, unless they were renewed', async () => {
    const [renewed, over] = [await createVisitor(), await createVisitor()]
    const last = (time: string, ...users: string[]): Promise<unknown> =>
      database.query(`update session set "expiresAt" = now() + $1::interval where "userId" = any($2)`, [time, users])
    const process = await startProcess({ database, engine: memoryEngine() }, { ...OPTIONS, sessionCacheMs: 0 })
    await last('2 seconds', renewed.id, over.id)
    const [kept, closing] = await Promise.all(
      [renewed, over].map(({ credentials }) => connect(process, credentials[1] ?? {})),
    )
    await last('1 hour', renewed.id)
    expect(await closing?.closed).toBe(4401)
    expect([kept?.isOpen(), await kept?.requestName()]).toEqual([true, 'Ada'])
    await process.close()
  })
})
