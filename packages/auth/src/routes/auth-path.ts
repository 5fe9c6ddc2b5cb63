import { ApiError } from '@sdk/protocol'

/** The segments of Better Auth's routes, without characters that another parser could interpret differently. */
const CANONICAL = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~:@-]+)+$/

/** Returns the path of an auth route below the base path; throws 404 for any non-canonical spelling. */
export function toAuthPath(pathname: string, basePath: string): string {
  const path = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : ''
  if (!CANONICAL.test(path)) throw new ApiError('NOT_FOUND', 'Auth route not found')
  return path
}
