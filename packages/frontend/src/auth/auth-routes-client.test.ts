import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAuthRoutesClient } from './auth-routes-client.ts'

interface Sent {
  path: string
  authorization: string | null
  asks: string | null
  credentials: RequestCredentials | undefined
}

let sent: Sent[]
let handsOut: boolean

/** A server that gives a session token to whoever asks for one. */
const fetch: typeof globalThis.fetch = async (url, init) => {
  const headers = new Headers(init?.headers)
  const asks = headers.get('x-sdk-token')
  const path = (url as string).replace(/^.*\/api\/auth/, '')
  sent.push({ path, authorization: headers.get('authorization'), asks, credentials: init?.credentials })
  const isEntry = asks === '1' && handsOut
  return Response.json({ url }, { headers: isEntry ? { 'x-sdk-token': `signed.${sent.length}%3D` } : {} })
}

const forbidden = new Proxy({}, { get: () => expect.fail('localStorage was touched') })

beforeEach(() => {
  sent = []
  handsOut = true
  vi.stubGlobal('location', { origin: 'https://app.test' })
  vi.stubGlobal('sessionStorage', {})
  vi.stubGlobal('localStorage', forbidden)
})
afterEach(() => vi.unstubAllGlobals())

const HERE = { fetch }
const THERE = { fetch, baseUrl: 'https://api.test/v2' }

describe('the auth routes of another origin', () => {
  it('give a session token, which goes to the auth routes as a header', async () => {
    const routes = createAuthRoutesClient(THERE)
    await routes.send('GET /get-session')
    await routes.send('POST /sign-in/email', {})
    await routes.send('POST /access-token', {})
    await routes.send('POST /sign-out', {})
    const token = 'Bearer signed.2%3D'
    expect(sent).toEqual([
      { path: '/get-session', authorization: null, asks: null, credentials: 'include' },
      { path: '/sign-in/email', authorization: null, asks: '1', credentials: 'include' },
      { path: '/access-token', authorization: token, asks: null, credentials: 'include' },
      { path: '/sign-out', authorization: token, asks: null, credentials: 'include' },
    ])
    expect(sessionStorage).toEqual({})
  })

  it('give another one wherever a session begins, and are told it nowhere else', async () => {
    const routes = createAuthRoutesClient(THERE)
    await routes.send('POST /sign-up/email', {})
    await routes.send('GET /get-session')
    await routes.send('POST /change-password', {})
    await routes.send('GET /get-session')
    await routes.send('POST /sign-in/email', {})
    await routes.send('GET /get-session')
    expect(sent.map(({ authorization }) => authorization)).toEqual([
      null,
      'Bearer signed.1%3D',
      null,
      'Bearer signed.3%3D',
      null,
      'Bearer signed.5%3D',
    ])
  })

  it('are asked without it once it is forgotten', async () => {
    const routes = createAuthRoutesClient({ ...THERE, persist: 'session' })
    await routes.send('POST /sign-in/email', {})
    expect(Object.values(sessionStorage)).toEqual(['signed.1%3D'])
    routes.forget()
    await routes.send('GET /get-session')
    expect(sent[1]?.authorization).toBeNull()
    expect(sessionStorage).toEqual({})
  })

  it('outlive a reload where it may be kept with the tab, each server by itself', async () => {
    const options = { ...THERE, persist: 'session' } as const
    await createAuthRoutesClient(options).send('POST /sign-in/email', {})
    await createAuthRoutesClient(options).send('GET /get-session')
    await createAuthRoutesClient(THERE).send('GET /get-session')
    await createAuthRoutesClient({ ...options, baseUrl: 'https://other.test' }).send('GET /get-session')
    expect(sent.map(({ authorization }) => authorization)).toEqual([null, 'Bearer signed.1%3D', null, null])
  })

  it('do with memory where the page may not store', async () => {
    Object.defineProperty(globalThis, 'sessionStorage', {
      configurable: true,
      get() {
        throw new DOMException('The operation is insecure', 'SecurityError')
      },
    })
    const routes = createAuthRoutesClient({ ...THERE, persist: 'session' })
    await routes.send('POST /sign-in/email', {})
    await routes.send('GET /get-session')
    expect(sent[1]?.authorization).toBe('Bearer signed.1%3D')
  })

  it('need none where their cookie works', async () => {
    handsOut = false
    const routes = createAuthRoutesClient(THERE)
    await routes.send('POST /sign-in/email', {})
    await routes.send('GET /get-session')
    expect(sent[1]).toMatchObject({ authorization: null, credentials: 'include' })
  })
})

describe('the auth routes of the page', () => {
  it('are never asked for a session token', async () => {
    const routes = createAuthRoutesClient({ ...HERE, persist: 'session' })
    await routes.send('POST /sign-in/email', {})
    await routes.send('GET /get-session')
    expect(sent.map(({ authorization, asks }) => [authorization, asks])).toEqual([
      [null, null],
      [null, null],
    ])
    expect(sessionStorage).toEqual({})
  })
})
