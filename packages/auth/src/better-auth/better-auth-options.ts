import type { Database } from '@sdk/database'
import type { BetterAuthOptions } from 'better-auth'
import type { AuthSettings } from '../auth-options.ts'
import { toFieldOptions } from './field-options.ts'
import { toMailOptions } from './mail-options.ts'
import type { MailQueue } from './mail-queue.ts'
import { sdkEndpoints } from './sdk-endpoints.ts'
import { createPasswords } from './passwords.ts'
import { logBetterAuth } from './unavailable.ts'

/** Carries the caller's address to the library; whoever sends it to us is not heard. */
export const ADDRESS_HEADER = 'x-sdk-address'

interface BetterAuthDependencies {
  readonly database: Database | null
  readonly mailQueue: MailQueue
  /** Called with every access token before its client gets it. */
  readonly onAccessToken: (token: string) => Promise<void>
}

/** What the library is told: our settings, and the choices we make for everybody. */
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
    // The server's own limits stand in front of these routes.
    rateLimit: { enabled: false },
    onAPIError: { throw: true },
    logger: { level: 'error', log: logBetterAuth },
    advanced: {
      // The library itself would prefix `__Secure-`, under which other hosts of the domain can set cookies.
      cookiePrefix: isSecure ? '__Host-sdk' : 'sdk',
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure },
      // Said aloud because the library turns these checks off under NODE_ENV=test.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      // We look ourselves, before it starts. And whoever signs out everywhere means every session, not the first 100.
      database: { validateSchema: false, defaultFindManyLimit: 10_000 },
      // It would believe any X-Forwarded-For.
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER], ipv6Subnet: 128 },
    },
  }
}
