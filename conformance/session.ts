import type { Middleware, RequestAuth, SessionMiddleware } from '@sdk/server'

/** The token of the one user there is. */
export const TOKEN = 'conformance-token'

const NOW = '2026-01-01T00:00:00.000Z'

const AUTH: RequestAuth = {
  getUser: async () => ({
    id: 'u1',
    name: 'Ada',
    email: 'ada@example.com',
    emailVerified: true,
    image: null,
    createdAt: NOW,
    updatedAt: NOW,
  }),
  session: { id: 's1', userId: 'u1', expiresAt: '2099-01-01T00:00:00.000Z' },
  via: 'bearer',
}

/** Knows one user, by a token: enough for a document that says how to sign in. */
export const session: SessionMiddleware = Object.assign<Middleware, Pick<SessionMiddleware, 'authenticate' | 'trusts'>>(
  (_, next) => next(),
  {
    authenticate: async (headers) => (headers.get('authorization') === `Bearer ${TOKEN}` ? AUTH : null),
    trusts: () => false,
  },
)
