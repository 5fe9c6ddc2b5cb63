import { ApiError } from '@sdk/protocol'

/** The members and parameters that determine where Better Auth and its plugins redirect the browser. */
const REDIRECT_FIELDS = /^(?:\w*callbackurl|redirect(?:to|url)|errorurl|newuserurl)$/i

/** Throws if any member or parameter would redirect the browser to an untrusted origin. */
export function assertRedirects(
  query: URLSearchParams,
  members: Readonly<Record<string, unknown>>,
  isTrusted: (origin: string) => boolean,
): void {
  for (const [name, target] of [...query, ...Object.entries(members)]) {
    if (!REDIRECT_FIELDS.test(name) || target === '' || target === null) continue
    if (typeof target !== 'string' || !isSafeTarget(target, isTrusted)) throw foreignTarget(name)
  }
}

/** Returns whether the redirect target is a path in this app or a URL with a trusted origin. */
export function isSafeTarget(target: string, isTrusted: (origin: string) => boolean): boolean {
  // Browsers strip some control characters, such as tabs and line breaks, and treat a backslash as a slash.
  if (/[\p{Cc}\\]/u.test(target) || target !== target.trim()) return false
  if (!target.startsWith('/')) return isTrustedUrl(target, isTrusted)
  const [path = ''] = target.split(/[?#]/, 1)
  return !path.startsWith('//') && !/%(?:2f|5c)/i.test(path) && isAtHost(path)
}

/**
 * Returns whether the path stays on this host. Better Auth resolves dot segments, so `/.//evil` would redirect to
 * another host.
 */
function isAtHost(path: string): boolean {
  return !new URL(`http://host${path}`).pathname.startsWith('//')
}

function isTrustedUrl(target: string, isTrusted: (origin: string) => boolean): boolean {
  if (!/^https?:\/\/[^/]/i.test(target) || !URL.canParse(target)) return false
  const { username, password, origin } = new URL(target)
  return username === '' && password === '' && isTrusted(origin)
}

function foreignTarget(name: string): ApiError {
  return new ApiError('INVALID_CALLBACK_URL', `${name} must be a path or a URL with a trusted origin`, { status: 403 })
}
