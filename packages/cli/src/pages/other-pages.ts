import type { ExplainPage } from './page.ts'

/** Pages for other codes in responses, most of which are about sign-in. */
export const OTHER_PAGES: Readonly<Record<string, ExplainPage>> = {
  INVALID_EMAIL_OR_PASSWORD: {
    means: 'The email address or the password is wrong (401).',
    why: 'The response does not reveal which one, so that accounts cannot be enumerated.',
    fix: 'Try again, or reset the password. After ten failures, sign-in to the account is blocked for 15 minutes.',
    example: `const { signIn, error } = useAuth()`,
  },
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: {
    means: 'An account with this email address already exists (422).',
    why: 'A user has already signed up with this address.',
    fix: 'Sign in, or reset the password.',
    example: `await signIn({ email, password })`,
  },
  FIELD_TAKEN: {
    means: 'Another user already has this value (422).',
    why: 'The field is marked as unique in the userFields option of createAuth. details contains the name of the field.',
    fix: 'Choose another value.',
    example: `createAuth({ database, userFields: { nickname: { type: 'string', input: true, unique: true } } })`,
  },
  EMAIL_NOT_VERIFIED: {
    means: 'The email address has not been confirmed yet (403).',
    why: 'The project requires confirmation before sign-in.',
    fix: 'Follow the link in the email. In development, sdk dev prints the link in the terminal.',
    example: `createAuth({ database, email: { send } })`,
  },
  PASSWORD_TOO_SHORT: {
    means: 'The password is too short (400).',
    why: 'Short passwords are easy to guess.',
    fix: 'Use a longer password, such as one made of four words.',
    example: `await signUp({ name, email, password })`,
  },
  INVALID_TOKEN: {
    means: 'A link in an email is no longer valid (400).',
    why: 'The link has already been used, or has expired.',
    fix: 'Request a new link.',
    example: `POST /api/auth/request-password-reset`,
  },
  INVALID_ORIGIN: {
    means: 'Pages from this origin are not allowed to use the auth routes (403).',
    why: 'The origin is neither the server’s origin nor listed in trustedOrigins.',
    fix: 'Add the exact origin to the trustedOrigins option of createAuth. Behind a proxy, set AUTH_URL.',
    example: `createAuth({ database, trustedOrigins: ['https://app.example.com'] })`,
  },
  INVALID_CALLBACK_URL: {
    means: 'The redirect target after sign-in is not allowed (403).',
    why: 'The origin of the target is not trusted. If any target were allowed, a link could redirect users to a malicious site.',
    fix: 'Use a path in the app, or add the origin to trustedOrigins.',
    example: `signIn({ email, password, callbackURL: '/welcome' })`,
  },
  EXPECTATION_FAILED: {
    means: 'The server does not support the value of the Expect header (417).',
    why: 'Only 100-continue is supported.',
    fix: 'Omit the header.',
    example: `curl -H 'Expect:' …`,
  },
}
