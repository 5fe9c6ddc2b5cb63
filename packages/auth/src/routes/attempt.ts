/** A kind of attempt: creating an account, requesting an email or code, or submitting a password or code. */
export type AttemptKind = 'sign-up' | 'mail' | 'secret'

/** The kinds of attempts on the routes of Better Auth and its plugins. The first match applies. */
const ATTEMPT_ROUTES: readonly (readonly [RegExp, AttemptKind])[] = [
  [/^\/sign-up\/|^\/sign-in\/anonymous$|^\/oauth2\/register$/, 'sign-up'],
  [/^\/(?:forget-password(?:\/.+)?|send-verification-email|change-email|sign-in\/magic-link)$/, 'mail'],
  [/\/(?:send-[\w-]*otp|request-[\w-]+)$/, 'mail'],
  [/^\/sign-in\/(?!social$|oauth2$)|^\/two-factor\//, 'secret'],
  [/\/(?:(?:reset|change|set)-password|delete-user|verify[\w-]*|check-verification-otp)$/, 'secret'],
]

/** Returns the kind of attempt on a route, or null if the route is not throttled. */
export function attemptAt(method: string, path: string): AttemptKind | null {
  return method === 'POST' ? (ATTEMPT_ROUTES.find(([pattern]) => pattern.test(path))?.[1] ?? null) : null
}

/**
 * Returns whether success on this route proves that the user owns the account. Other sign-in routes only redirect the
 * browser.
 */
export function isSignInRoute(path: string): boolean {
  return /^\/(?:sign-in\/(?:email|username|phone-number|email-otp)|sign-up\/email|two-factor\/verify-[\w-]+)$/.test(
    path,
  )
}

/** The fields that identify an account, both in request bodies and in user records. */
export const NAME_SOURCES = ['email', 'username', 'phoneNumber'] as const

/** The part of a request that identifies the account: a member of the body, or a cookie. */
export type AccountSource = (typeof NAME_SOURCES)[number] | 'two-factor' | 'session'

/**
 * The account source for each route, by path. It must be the source that the route itself reads; otherwise, an attempt
 * could be counted against a different account. The first match applies.
 */
const ACCOUNT_SOURCES: readonly (readonly [RegExp, AccountSource])[] = [
  [/^\/sign-in\/username$/, 'username'],
  [/^\/(?:sign-in\/phone-number$|phone-number\/)/, 'phoneNumber'],
  [/^\/two-factor\/(?:verify|send)-/, 'two-factor'],
  [/^\/email-otp\/(?:change-email|request-email-change)$/, 'session'],
  [/^\/(?:sign-in|sign-up|email-otp|forget-password)\//, 'email'],
  [/^\/(?:request-password-reset|send-verification-email)$/, 'email'],
]

/** Returns the account source for a route. */
export function accountSourceAt(path: string): AccountSource {
  return ACCOUNT_SOURCES.find(([pattern]) => pattern.test(path))?.[1] ?? 'session'
}

/** Returns the account that attempts with this name are counted against. */
export function toAccount(source: AccountSource, name: string): string {
  return `${source} ${normalizeAccount(name)}`
}

/** Normalizes the case, white space and Unicode form of a name. */
export function normalizeAccount(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[\s\p{Cf}]/gu, '')
}
