import { ApiError } from '@sdk/protocol'

/** Segments as the library's own routes have them: nothing that another reader could take for something else. */
const CANONICAL = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~:@-]+)+$/

/** The path of an auth route below the base path; every other spelling of it is 404, before anything looks at it. */
export function toAuthPath(pathname: string, basePath: string): string {
  const path = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : ''
  if (!CANONICAL.test(path)) throw new ApiError('NOT_FOUND', 'There is no such auth route')
  return path
}
