import type { Database } from '@sdk/database'
import type { BetterAuthOptions } from 'better-auth'
import type { AuthSettings } from '../auth-options.ts'
import { toFieldOptions } from './field-options.ts'
import { toMailOptions } from './mail-options.ts'
import type { MailQueue } from './mail-queue.ts'
import { sdkEndpoints } from './sdk-endpoints.ts'
import { createPasswords } from './passwords.ts'
import { logBetterAuth } from './unavailable.ts'

/** The header that passes the client's address to Better Auth. It is ignored in incoming requests. */
export const ADDRESS_HEADER = 'x-sdk-address'

interface BetterAuthDependencies {
  readonly database: Database | null
  readonly mailQueue: MailQueue
  /** Called with every access token before the client receives it. */
  readonly onAccessToken: (token: string) => Promise<void>
}

/** Converts the settings to Better Auth options and adds the options that cannot be configured. */
export function toBetterAuthOptions(
  settings: AuthSettings,
  { database, mailQueue, onAccessToken }: BetterAuthDependencies,
): BetterAuthOptions {
  const { source, basePath, baseURL, secret, trustedOrigins, plugins } = settings
  const { emailAndPassword, emailVerification } = toMailOptions(settings.email, mailQueue)
  const isSecure = baseURL?.startsWith('https://') ?? false
  return {
    database: ('adapter' in source ? source.adapter : database?.pool) as never,
    basePath,
    ...(baseURL !== null && { baseURL }),
    secret,
    trustedOrigins: [...trustedOrigins],
    plugins: [...plugins, sdkEndpoints(secret, onAccessToken)] as NonNullable<BetterAuthOptions['plugins']>,
    emailAndPassword: {
      ...emailAndPassword,
      enabled: true,
      revokeSessionsOnPasswordReset: true,
      password: createPasswords(),
    },
    ...(emailVerification && { emailVerification }),
    user: { additionalFields: toFieldOptions(settings.userFields) },
    session: { cookieCache: { enabled: false } },
    telemetry: { enabled: false },
    // Not needed, since the server's rate limits already apply to these routes.
    rateLimit: { enabled: false },
    onAPIError: { throw: true },
    logger: { level: 'error', log: logBetterAuth },
    advanced: {
      // Better Auth's `__Secure-` prefix would let other hosts on the same domain set these cookies.
      cookiePrefix: isSecure ? '__Host-sdk' : 'sdk',
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure },
      // Set explicitly because Better Auth turns these checks off if NODE_ENV is "test".
      disableOriginCheck: false,
      disableCSRFCheck: false,
      // The SDK checks the schema itself at startup. The limit is raised because signing out everywhere must end all
      // sessions, not just the first 100.
      database: { validateSchema: false, defaultFindManyLimit: 10_000 },
      // By default, Better Auth would trust any X-Forwarded-For header.
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER], ipv6Subnet: 128 },
    },
  }
}
