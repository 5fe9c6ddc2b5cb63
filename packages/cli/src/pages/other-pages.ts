import type { ExplainPage } from './page.ts'

/** Codes of answers that have no status of their own: mostly those of signing in. */
export const OTHER_PAGES: Readonly<Record<string, ExplainPage>> = {
  INVALID_EMAIL_OR_PASSWORD: {
    means: 'The address or the password is wrong (401).',
    why: 'Which of the two is never told, so that nobody can find out who has an account.',
    fix: 'Try again, or reset the password. Ten failures lock the account for a quarter of an hour.',
    example: `const { signIn, error } = useAuth()`,
  },
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: {
    means: 'There is an account with this address (422).',
    why: 'Somebody signed up with it before.',
    fix: 'Sign in, or reset the password.',
    example: `await signIn({ email, password })`,
  },
  FIELD_TAKEN: {
    means: 'Another user has this value (422).',
    why: 'The field is unique in userFields of createAuth. details names it.',
    fix: 'Choose another value.',
    example: `createAuth({ database, userFields: { nickname: { type: 'string', input: true, unique: true } } })`,
  },
  EMAIL_NOT_VERIFIED: {
    means: 'The address has not been confirmed yet (403).',
    why: 'The project asks for it before anybody may sign in.',
    fix: 'Follow the link in the mail; in development it is printed in the terminal of sdk dev.',
    example: `createAuth({ database, email: { send } })`,
  },
  PASSWORD_TOO_SHORT: {
    means: 'The password is too short (400).',
    why: 'Short ones are guessed.',
    fix: 'Take a longer one, such as four words.',
    example: `await signUp({ name, email, password })`,
  },
  INVALID_TOKEN: {
    means: 'A link of a mail does not work any more (400).',
    why: 'It was used before, or is too old.',
    fix: 'Ask for a new one.',
    example: `POST /api/auth/request-password-reset`,
  },
  INVALID_ORIGIN: {
    means: 'A page of this origin may not use the auth routes (403).',
    why: 'It is neither the origin of the server, nor one in trustedOrigins.',
    fix: 'Add the exact origin to trustedOrigins of createAuth. Behind a proxy set AUTH_URL.',
    example: `createAuth({ database, trustedOrigins: ['https://app.example.com'] })`,
  },
  INVALID_CALLBACK_URL: {
    means: 'Users may not be sent there after signing in (403).',
    why: 'The target is a page of an origin that is not trusted: a link could send users to a foreign site.',
    fix: 'Use a path of the app, or add the origin to trustedOrigins.',
    example: `signIn({ email, password, callbackURL: '/welcome' })`,
  },
  EXPECTATION_FAILED: {
    means: 'The header Expect asks for something that the server cannot do (417).',
    why: 'Only 100-continue is known.',
    fix: 'Leave the header out.',
    example: `curl -H 'Expect:' …`,
  },
}
