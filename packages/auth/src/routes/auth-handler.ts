import type { RequestOrigin } from '../auth.ts'
import type { AuthSettings } from '../auth-options.ts'
import type { Hosts } from '../hosts.ts'
import type { Library } from '../library/library.ts'
import { toAuthResponse } from './auth-response.ts'

/** What the auth routes work with. */
export interface AuthHandlerParts {
  readonly settings: AuthSettings
  readonly hosts: Hosts
  start(): Promise<Library>
}

/** Answers the routes below the base path. */
export type AuthHandler = (request: Request, from: RequestOrigin) => Promise<Response>

/** Makes the handler: what stands in front of the library, and what becomes of its answers. */
export function createAuthHandler({ start }: AuthHandlerParts): AuthHandler {
  return async (request) => {
    const library = await start()
    return toAuthResponse(await library.handler(request))
  }
}
