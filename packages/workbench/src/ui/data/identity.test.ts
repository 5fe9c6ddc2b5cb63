// @vitest-environment happy-dom
import { createHttpClient } from '@sdk/frontend'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createIdentitySource, createIdentityStore, type Identity, type IdentityStore } from './identity.ts'

const ADA = { id: 'ada', name: 'Ada', email: 'ada@example.com', createdAt: '2026-01-01T00:00:00.000Z' }
const AS_ADA: Identity = { kind: 'user', user: ADA, token: 'old' }

let store: IdentityStore
let sessions: () => Response
const tokens: (string | null)[] = []

/** An app that accepts only the token `new`, and a workbench that creates sessions. */
beforeEach(() => {
  store = createIdentityStore({ start: AS_ADA })
  tokens.length = 0
  sessions = () => Response.json({ user: ADA, token: 'new', expiresAt: '' })
  vi.stubGlobal('fetch', async (url: string, { headers }: { headers: Headers }) => {
    if (new URL(url).pathname === '/_workbench/api/sessions') return sessions()
    tokens.push(headers.get('authorization'))
    return tokens.at(-1) === 'Bearer new' ? Response.json('fine') : new Response(null, { status: 401 })
  })
})

const call = (): Promise<unknown> => {
  const auth = createIdentitySource(store)
  return createHttpClient({ baseUrl: 'http://x.dev', auth, retry: false }).call('POST /agent/me')
}

describe('createIdentitySource', () => {
  it('creates a new session of the same user if a token is rejected', async () => {
    expect(await call()).toBe('fine')
    expect(tokens).toEqual(['Bearer old', 'Bearer new'])
    expect(store.snapshot()).toEqual({ kind: 'user', user: ADA, token: 'new' })
  })

  it('retries once and then rejects', async () => {
    sessions = () => Response.json({ user: ADA, token: 'newer', expiresAt: '' })
    await expect(call()).rejects.toMatchObject({ status: 401 })
    expect(tokens).toEqual(['Bearer old', 'Bearer newer'])
  })

  it('rejects if the user no longer exists', async () => {
    sessions = () => Response.json({ error: { code: 'NOT_FOUND', message: 'gone', details: [] } }, { status: 404 })
    await expect(call()).rejects.toMatchObject({ status: 401 })
    expect([tokens, store.snapshot()]).toEqual([['Bearer old'], AS_ADA])
  })

  it('creates one session for concurrent rejected calls', async () => {
    const auth = createIdentitySource(store)
    let made = 0
    sessions = () => Response.json({ user: ADA, token: `new${++made}`, expiresAt: '' })
    expect(await Promise.all([auth.token({ force: true }), auth.token({ force: true })])).toEqual(['new1', 'new1'])
  })

  it('keeps an identity that was chosen in the meantime', async () => {
    const auth = createIdentitySource(store)
    const renewed = auth.token({ force: true })
    store.use({ kind: 'anonymous' })
    expect([await renewed, store.snapshot().kind]).toEqual([null, 'anonymous'])
  })

  it('returns no token for anonymous and browser identities', async () => {
    for (const kind of ['anonymous', 'browser'] as const) {
      store.use({ kind })
      expect(await createIdentitySource(store).token({ force: true })).toBeNull()
    }
  })
})
