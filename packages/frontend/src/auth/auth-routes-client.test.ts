import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAuthRoutesClient } from './auth-routes-client.ts'

interface Sent {
  path: string
  authorization: string | null
  tokenHeader: string | null
  credentials: RequestCredentials | undefined
}

let sent: Sent[]
let issuesToken: boolean

/** A server that returns a session token on request. */
const fetch: typeof globalThis.fetch = async (url, init) => {
  const headers = new Headers(init?.headers)
  const tokenHeader = headers.get('x-sdk-token')
  const path = (url as string).replace(/^.*\/api\/auth/, '')
  sent.push({ path, authorization: headers.get('authorization'), tokenHeader, credentials: init?.credentials })
  const isEntry = tokenHeader === '1' && issuesToken
  return Response.json({ url }, { headers: isEntry ? { 'x-sdk-token': `signed.${sent.length}%3D` } : {} })
}

const forbidden = new Proxy({}, { get: () => expect.fail('localStorage was touched') })

beforeEach(() => {
  sent = []
  issuesToken = true
  vi.stubGlobal('location', { origin: 'https://app.test' })
  vi.stubGlobal('sessionStorage', {})
  vi.stubGlobal('localStorage', forbidden)
})
afterEach(() => vi.unstubAllGlobals())

const HERE = { fetch }
const THERE = { fetch, baseUrl: 'https://api.test/v2' }

describe('createAuthRoutesClient for another origin', () => {
  it('sends the session token of a sign-in as a header', async () => {
    const routes = createAuthRoutesClient(THERE)
    await routes.send('GET /get-session')
    await routes.send('POST /sign-in/email', {})
    await routes.send('POST /access-token', {})
    await routes.send('POST /sign-out', {})
    const token = 'Bearer signed.2%3D'
    expect(sent).toEqual([
      { path: '/get-session', authorization: null, tokenHeader: null, credentials: 'include' },
      { path: '/sign-in/email', authorization: null, tokenHeader: '1', credentials: 'include' },
      { path: '/access-token', authorization: token, tokenHeader: null, credentials: 'include' },
      { path: '/sign-out', authorization: token, tokenHeader: null, credentials: 'include' },
    ])
    expect(sessionStorage).toEqual({})
  })

  it('sends the newest session token, except in requests that start a session', async () => {
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

  it('sends no session token after forget', async () => {
    const routes = createAuthRoutesClient({ ...THERE, persist: 'session' })
    await routes.send('POST /sign-in/email', {})
    expect(Object.values(sessionStorage)).toEqual(['signed.1%3D'])
    routes.forget()
    await routes.send('GET /get-session')
    expect(sent[1]?.authorization).toBeNull()
    expect(sessionStorage).toEqual({})
  })

  it('keeps the session token of each server across reloads if persist is set', async () => {
    const options = { ...THERE, persist: 'session' } as const
    await createAuthRoutesClient(options).send('POST /sign-in/email', {})
    await createAuthRoutesClient(options).send('GET /get-session')
    await createAuthRoutesClient(THERE).send('GET /get-session')
    await createAuthRoutesClient({ ...options, baseUrl: 'https://other.test' }).send('GET /get-session')
    expect(sent.map(({ authorization }) => authorization)).toEqual([null, 'Bearer signed.1%3D', null, null])
  })

  it('keeps the session token in memory if sessionStorage is not available', async () => {
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

  it('sends no session token if the server returns none', async () => {
    issuesToken = false
    const routes = createAuthRoutesClient(THERE)
    await routes.send('POST /sign-in/email', {})
    await routes.send('GET /get-session')
    expect(sent[1]).toMatchObject({ authorization: null, credentials: 'include' })
  })
})

describe('createAuthRoutesClient for the same origin', () => {
  it('never requests a session token', async () => {
    const routes = createAuthRoutesClient({ ...HERE, persist: 'session' })
    await routes.send('POST /sign-in/email', {})
    await routes.send('GET /get-session')
    expect(sent.map(({ authorization, tokenHeader }) => [authorization, tokenHeader])).toEqual([
      [null, null],
      [null, null],
    ])
    expect(sessionStorage).toEqual({})
  })
})
