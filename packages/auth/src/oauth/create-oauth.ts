import type { BetterAuthOptions } from 'better-auth'
import type { Auth } from '../auth.ts'
import type { AuthSettings } from '../auth-options.ts'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import type { SessionReaderOptions } from '../session/session-reader.ts'
import { oauthClientPaths } from '../routes/oauth-routes.ts'
import { createOAuthTokenReader } from './oauth-token.ts'
import { createChallenge, createWellKnown } from './protected-resources.ts'

/** The parts of an auth instance for OAuth. Without the `mcp` option, they have no effect. */
export interface OAuth extends Pick<SessionReaderOptions, 'readOAuthToken'> {
  /** Adds the OAuth provider, which is loaded only if it is used. */
  configure(config: BetterAuthOptions): Promise<BetterAuthOptions>
  readonly members: Pick<Auth, 'challenge' | 'wellKnown' | 'openPaths'>
}

/** Creates the parts for OAuth. */
export function createOAuth(settings: AuthSettings, start: () => Promise<BetterAuth>): OAuth {
  const { mcp, isProduction } = settings
  return {
    readOAuthToken: createOAuthTokenReader(settings, start),
    async configure(config) {
      if (mcp === null) return config
      return (await import('./oauth-plugin.ts')).withOAuthProvider(config, mcp, isProduction)
    },
    members: {
      challenge: createChallenge(settings),
      wellKnown: createWellKnown(settings, start),
      openPaths: oauthClientPaths(settings),
    },
  }
}
