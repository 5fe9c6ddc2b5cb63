// One version of an app. Applies the migration files of a folder first, as `sdk start` does.
import { applyMigrations } from '@sdk/database'
import { createApp, createLog, createRouter, serve } from '@sdk/server'
import { toResource, type Versions } from './version.ts'

/** The argument of this program. */
export interface ServerArgument {
  readonly versions: Versions
  /** The folder of the migration files, or null if the version has none. */
  readonly folder: string | null
}

const { versions, folder } = JSON.parse(process.argv[2] ?? '') as ServerArgument
const log = createLog()
if (folder !== null) await applyMigrations(folder, log)
const router = createRouter()
for (const [name, version] of Object.entries(versions)) router.resource('v1', toResource(name, version))
const server = await serve(createApp({ router, log, rateLimit: false }), { port: 0 })
console.log(`serves ${server.url}`)
