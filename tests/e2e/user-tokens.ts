import { fromAuthorization, fromSubprotocols } from '@sdk/protocol'

/** Session middleware for tests: the token of a request or socket is the id of its user. */
export const userTokens = Object.assign((_ctx: unknown, next: () => never) => next(), {
  authenticate(headers: { get(name: string): string | null }) {
    const { token } = fromSubprotocols(headers.get('sec-websocket-protocol'))
    const userId = token ?? fromAuthorization(headers.get('authorization'))
    if (userId === null) return null
    const session = { id: `s-${userId}`, userId, expiresAt: '9999-12-31' }
    return { getUser: async () => ({ id: userId }), session, via: 'bearer' }
  },
  getUser: async (id: string) => ({ id }),
}) as never
