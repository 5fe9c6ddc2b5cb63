import type { RequestAuth, User } from '../auth/identity.ts'

/** A test user. Missing fields are derived from the name. */
export type TestUser = Partial<User> & { readonly name: string }

/** Creates `ctx.auth` for a test user. */
export function toTestAuth(user: TestUser): RequestAuth {
  const id = user.id ?? user.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const createdAt = '2000-01-01T00:00:00.000Z'
  const defaults = {
    id,
    email: `${id}@example.test`,
    emailVerified: true,
    image: null,
    createdAt,
    updatedAt: createdAt,
  }
  const whole: User = { ...defaults, ...user }
  return {
    getUser: () => Promise.resolve(whole),
    session: { id: `session-of-${id}`, userId: id, expiresAt: '9999-12-31T23:59:59.999Z' },
    via: 'bearer',
  }
}
