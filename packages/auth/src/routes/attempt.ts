/** What somebody tries with a request, where trying often is worth something. */
export type AttemptKind =
  /** To make an account. */
  | 'sign-up'
  /** To have a mail or a code sent. */
  | 'mail'
  /** To pass with a password or a code. */
  | 'secret'

/** The routes of the library and its plugins; the first that fits counts. */
const ROUTES: readonly (readonly [RegExp, AttemptKind])[] = [
  [/^\/sign-up\/|^\/sign-in\/anonymous$/, 'sign-up'],
  [/^\/(?:forget-password(?:\/.+)?|send-verification-email|change-email|sign-in\/magic-link)$/, 'mail'],
  [/\/(?:send-[\w-]*otp|request-[\w-]+)$/, 'mail'],
  [/^\/sign-in\/(?!social$|oauth2$)|^\/two-factor\//, 'secret'],
  [/\/(?:(?:reset|change|set)-password|delete-user|verify[\w-]*|check-verification-otp)$/, 'secret'],
]

/** What is tried at a route; null where nothing is. */
export function attemptAt(method: string, path: string): AttemptKind | null {
  return method === 'POST' ? (ROUTES.find(([pattern]) => pattern.test(path))?.[1] ?? null) : null
}

/** Whose account a body speaks of, in one spelling whatever its case, spaces and form of Unicode; null where it does not say. */
export function accountIn(members: Readonly<Record<string, unknown>>): string | null {
  for (const name of ['email', 'username', 'phoneNumber', 'newEmail']) {
    const value = members[name]
    if (typeof value === 'string') return `${name} ${toOneForm(value)}`
  }
  return null
}

function toOneForm(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[\s\p{Cf}]/gu, '')
}
