import { isInspecting, openDatabase, retryable } from '@sdk/database'
import type { Auth } from './auth.ts'
import { type AuthOptions, resolveAuthOptions } from './auth-options.ts'
import { AttachedApps } from './attached-apps.ts'
import { type BetterAuth, startBetterAuth } from './better-auth/better-auth.ts'
import { toBetterAuthOptions } from './better-auth/better-auth-options.ts'
import { migrateTables } from './better-auth/migrate-tables.ts'
import { createMailQueue, warnWithoutMail } from './better-auth/mail-queue.ts'
import { withResetLinkRevocation } from './better-auth/reset-links.ts'
import { createOAuth } from './oauth/create-oauth.ts'
import { createAttemptLimits } from './routes/attempt-limits.ts'
import { createAuthHandler } from './routes/auth-handler.ts'
import { createTrustsOrigin } from './routes/trusted-origin.ts'
import { createChangeHooks } from './session/change-hooks.ts'
import { createAuthChanges } from './session/auth-changes.ts'
import { createRenewal } from './session/renewal.ts'
import { createSessionCache } from './session/session-cache.ts'
import { createSessionReader } from './session/session-reader.ts'
import { createExpiredSessionCleanup } from './session/delete-expired.ts'
import { createUserTools } from './session/user-tools.ts'
import type { NoUserFields, UserFields } from './user-fields.ts'
import type { AuthUsers } from './users/auth-users.ts'
import { createAuthUsers } from './users/create-auth-users.ts'
import { createProfiles } from './users/create-profiles.ts'

/**
 * Sets up authentication with a PostgreSQL database. Returns immediately. The database is opened and migrated while the
 * server starts, and every route waits until it is ready.
 * @example export const auth = createAuth({ connectionString: process.env.DATABASE_URL })
 */
export function createAuth<const Fields extends UserFields = NoUserFields>(options: AuthOptions<Fields>): Auth<Fields> {
  const settings = resolveAuthOptions(options)
  const { source, secret, basePath, trustedOrigins, autoMigrate } = settings
  const database = 'url' in source ? openDatabase(source.url) : 'database' in source ? source.database : null
  const mailQueue = createMailQueue(settings.email)
  const apps = new AttachedApps()
  const cache = createSessionCache({ ttlMs: settings.sessionCacheMs })
  const changes = createAuthChanges(apps, cache, secret)
  const deleteExpired = createExpiredSessionCleanup(() => start())
  const databaseHooks = createChangeHooks(changes, deleteExpired, apps)
  /** Caches a new token's session, so that the token is recognized even if the client's address is blocked. */
  const onAccessToken = async (token: string): Promise<void> =>
    void (await reader.identify({ get: (name) => (name === 'authorization' ? `Bearer ${token}` : null) }))
  const choices = { ...toBetterAuthOptions(settings, { database, mailQueue, onAccessToken }), databaseHooks }
  const start: () => Promise<BetterAuth> = retryable(() => startBetterAuth(config, { database, autoMigrate, ...oauth }))
  const config = withResetLinkRevocation(choices, start)
  const oauth = createOAuth(settings, start)
  const trusts = createTrustsOrigin(settings)
  const reader = createSessionReader({ secret, database, cache, start, ...oauth })
  const [{ published }, limits] = [changes, createAttemptLimits(settings, apps)]
  const handle = createAuthHandler({ settings, limits, trusts, start })
  // Starts before the first call. If this fails, `ready()` and every route report the failure.
  if (!isInspecting()) start().catch(() => {})

  return {
    basePath,
    trustedOrigins,
    trusts,
    ready: async () => void (await start()),
    async migrate() {
      if (!database) throw new Error("auth.migrate() cannot migrate an adapter's tables: run your own migrations")
      await migrateTables(database, await oauth.configure(config))
      if (!isInspecting()) await start().catch(() => {}) // an earlier start may have found no tables and fail
    },
    getSession: async (headers) => reader.identify(headers),
    ...reader,
    ...oauth.members,
    users: createAuthUsers({ secret, limits, start, published }) as unknown as AuthUsers<Fields>,
    profiles: ({ fields }) => createProfiles({ database, start, userFields: settings.userFields }, fields) as never,
    development: settings.isProduction
      ? null
      : createUserTools({ secret, basePath, start, getActiveSessions: reader.getActiveSessions, published }),
    renew: createRenewal(secret, start),
    async handler(request, from) {
      const response = await handle(request, from)
      await published()
      return response
    },
    join(host) {
      if (apps.isEmpty() && !isInspecting()) warnWithoutMail(settings.email, host.log)
      const leave = apps.attach(host)
      return async () => {
        leave()
        // Only the last app waits: when a server replaces an app, the process continues to send pending emails.
        if (apps.isEmpty()) await mailQueue.flush()
      }
    },
    async close() {
      if (!isInspecting()) await start().catch(() => {})
      await mailQueue.flush()
      if ('url' in source) await database?.close()
    },
  }
}
