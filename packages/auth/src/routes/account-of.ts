import type { Library } from '../library/library.ts'
import { readSignedCookie } from '../session/session-cookie.ts'
import { accountSourceAt, toOneSpelling } from './attempt.ts'
import type { AuthCall } from './auth-call.ts'

/** Whose account an attempt is about, in one spelling; null where it is about none. */
export async function accountOf({ context }: Library, { request, path, members }: AuthCall): Promise<string | null> {
  const source = accountSourceAt(path)
  const cookie = (name: string): string | null => readSignedCookie(request.headers.get('cookie'), name, context.secret)
  if (source === 'two-factor') {
    const begun = cookie(context.createAuthCookie('two_factor').name)
    // By user, since another first step would bring another cookie, and with it new attempts.
    const found = begun === null ? null : await context.internalAdapter.findVerificationValue(begun)
    if (found) return `${source} ${found.value}`
  }
  if (source === 'two-factor' || source === 'session') {
    const session = cookie(context.authCookies.sessionToken.name)
    return session === null ? null : `session ${session}`
  }
  const name = members[source]
  return typeof name === 'string' ? `${source} ${toOneSpelling(name)}` : null
}
