import { ApiError } from '@sdk/protocol'

/** A canonical path, without characters that another parser could interpret differently. */
const CANONICAL = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~:@-]+)+$/

/** Returns an auth route's path relative to the base path. Throws 404 if the path is not canonical. */
export function toAuthPath(pathname: string, basePath: string): string {
  const path = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : ''
  if (!CANONICAL.test(path)) throw new ApiError('NOT_FOUND', 'Auth route not found')
  return path
}
