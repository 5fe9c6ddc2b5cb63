import type { Fault } from './fault.ts'

/** Faults of auth. */
export const AUTH_FAULTS: readonly Fault[] = [
  {
    name: 'auth: failed passwords never lock an account',
    file: 'packages/auth/src/routes/throttle.ts',
    from: 'if (failed >= quota) await',
    to: 'if (failed > quota) await',
    tests: ['packages/auth/src/routes/throttle.test.ts'],
  },
  {
    name: 'auth: a new password leaves the other sessions open',
    file: 'packages/auth/src/routes/better-auth-request.ts',
    from: '{ ...members, revokeOtherSessions: true }',
    to: '{ revokeOtherSessions: true, ...members }',
    tests: ['tests/conformance/auth/sessions.test.ts'],
  },
  {
    name: 'auth: the session cookie is not Secure over https',
    file: 'packages/auth/src/better-auth/better-auth-options.ts',
    from: "const isSecure = baseURL?.startsWith('https://') ?? false",
    to: 'const isSecure = false',
    tests: ['tests/conformance/auth/cookies.test.ts'],
  },
  {
    name: 'auth: an origin is trusted by its beginning',
    file: 'packages/auth/src/routes/trusted-origin.ts',
    from: 'trustedOrigins.includes(origin)',
    to: 'trustedOrigins.some((one) => origin.startsWith(one))',
    tests: ['tests/conformance/auth/origins.test.ts'],
  },
  {
    name: 'auth: the sockets of a session that ended stay open',
    file: 'packages/auth/src/session/change-hooks.ts',
    from: 'changes.add({ ended: [id], changed: [userId] })',
    to: 'changes.add({ changed: [id, userId] })',
    tests: ['packages/auth/src/session/revocation.test.ts'],
  },
]
