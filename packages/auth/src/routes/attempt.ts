/** An attempt that is worth repeating: to make an account, to have a mail or code sent, to pass with a password or code. */
export type AttemptKind = 'sign-up' | 'mail' | 'secret'

/** The routes of the library and its plugins; the first that fits counts. */
const ATTEMPT_ROUTES: readonly (readonly [RegExp, AttemptKind])[] = [
  [/^\/sign-up\/|^\/sign-in\/anonymous$/, 'sign-up'],
  [/^\/(?:forget-password(?:\/.+)?|send-verification-email|change-email|sign-in\/magic-link)$/, 'mail'],
  [/\/(?:send-[\w-]*otp|request-[\w-]+)$/, 'mail'],
  [/^\/sign-in\/(?!social$|oauth2$)|^\/two-factor\//, 'secret'],
  [/\/(?:(?:reset|change|set)-password|delete-user|verify[\w-]*|check-verification-otp)$/, 'secret'],
]

/** What is tried at a route; null where nothing is. */
export function attemptAt(method: string, path: string): AttemptKind | null {
  return method === 'POST' ? (ATTEMPT_ROUTES.find(([pattern]) => pattern.test(path))?.[1] ?? null) : null
}

/** Is this a way in where whoever passes has shown to be the user of the account? Others only send the browser on. */
export function isSignInRoute(path: string): boolean {
  return /^\/(?:sign-in\/(?:email|username|phone-number|email-otp)|sign-up\/email|two-factor\/verify-[\w-]+)$/.test(
    path,
  )
}

/** The members of a body, and of a user, that name an account. */
export const NAME_SOURCES = ['email', 'username', 'phoneNumber'] as const

/** What tells whose account is tried: a member of the body, or a cookie. */
export type AccountSource = (typeof NAME_SOURCES)[number] | 'two-factor' | 'session'

/** As the routes themselves look for it: another member is there to be counted for somebody else. The first that fits counts. */
const ACCOUNT_SOURCES: readonly (readonly [RegExp, AccountSource])[] = [
  [/^\/sign-in\/username$/, 'username'],
  [/^\/(?:sign-in\/phone-number$|phone-number\/)/, 'phoneNumber'],
  [/^\/two-factor\/(?:verify|send)-/, 'two-factor'],
  [/^\/email-otp\/(?:change-email|request-email-change)$/, 'session'],
  [/^\/(?:sign-in|sign-up|email-otp|forget-password)\//, 'email'],
  [/^\/(?:request-password-reset|send-verification-email)$/, 'email'],
]

/** What tells whose account is tried at a route. */
export function accountSourceAt(path: string): AccountSource {
  return ACCOUNT_SOURCES.find(([pattern]) => pattern.test(path))?.[1] ?? 'session'
}

/** A name in one spelling, whatever its case, spaces and form of Unicode. */
export function normalizeAccount(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[\s\p{Cf}]/gu, '')
}
