import { isInspecting, openDatabase } from '@sdk/database'
import type { Auth } from './auth.ts'
import { type AuthOptions, resolveAuthOptions } from './auth-options.ts'
import { createHosts } from './attached-apps.ts'
import { type Library, startLibrary } from './better-auth/better-auth.ts'
import { toBetterAuthOptions } from './better-auth/better-auth-options.ts'
import { migrateTables } from './better-auth/migrate-tables.ts'
import { createOutbox, warnWithoutMail } from './better-auth/mail-queue.ts'
import { endingResetLinks } from './better-auth/reset-links.ts'
import { retryable } from './retryable.ts'
import { createAuthHandler } from './routes/auth-handler.ts'
import { createTrusts } from './routes/trusted-origin.ts'
import { changeHooks } from './session/change-hooks.ts'
import { createChanges } from './session/auth-changes.ts'
import { createRenewal } from './session/renewal.ts'
import { createSessionCache } from './session/session-cache.ts'
import { createSessionReader } from './session/session-reader.ts'
import { createSweep } from './session/delete-expired.ts'
import { createUserTools } from './session/user-tools.ts'

/**
 * Sets up authentication on a PostgreSQL database. Returns at once; opening and migrating run
 * beside the start of the server, and every route waits for them.
 * @example export const auth = createAuth({ connectionString: process.env.DATABASE_URL })
 */
export function createAuth(options: AuthOptions): Auth {
  const settings = resolveAuthOptions(options)
  const { source, secret, basePath, trustedOrigins, autoMigrate } = settings
  const database = 'url' in source ? openDatabase(source.url) : 'database' in source ? source.database : null
  const outbox = createOutbox(settings.email)
  const hosts = createHosts()
  const cache = createSessionCache({ keepMs: settings.sessionCacheMs })
  const changes = createChanges({ hosts, cache, secret })
  const databaseHooks = changeHooks(
    changes,
    createSweep(() => start()),
  )
  const choices = { ...toBetterAuthOptions(settings, { database, outbox }), databaseHooks }
  const start: () => Promise<Library> = retryable(() => startLibrary(config, { database, autoMigrate }))
  const config = endingResetLinks(choices, start)
  const trusts = createTrusts(settings)
  const reader = createSessionReader({ secret, database, cache, start })
  const { told } = changes
  const { renew } = createRenewal(secret, start)
  const handle = createAuthHandler({ settings, hosts, trusts, start })
  // Started now; `ready()` and every route report a failure.
  if (!isInspecting()) start().catch(() => {})

  return {
    basePath,
    trustedOrigins,
    trusts,
    ready: async () => void (await start()),
    async migrate() {
      if (!database) throw new Error('createAuth migrates its own tables, not those of an adapter: use its migrations')
      await migrateTables(database, config)
    },
    getSession: async (headers) => reader.identify(headers),
    identify: reader.identify,
    living: reader.living,
    development: settings.isProduction ? null : createUserTools({ secret, start, living: reader.living, told }),
    renew,
    async handler(request, from = {}) {
      const answer = await handle(request, from)
      await told()
      return answer
    },
    join(host) {
      if (hosts.isEmpty() && !isInspecting()) warnWithoutMail(settings.email, host.log)
      const leave = hosts.add(host)
      return async () => {
        leave()
        // Only the last app waits: a server that replaces one app by another lives on, and so do its mails.
        if (hosts.isEmpty()) await outbox.flush()
      }
    },
    async close() {
      if (!isInspecting()) await start().catch(() => {})
      await outbox.flush()
      if ('url' in source) await database?.close()
    },
  }
}
