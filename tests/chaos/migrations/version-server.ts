// One version of an app with a resource `notes`. Applies the migration files of a folder first, as `sdk start` does.
import { applyMigrations } from '@sdk/database'
import { createApp, createLog, createRouter, serve } from '@sdk/server'
import { createNotes, type Version } from './version.ts'

const { version, folder } = JSON.parse(process.argv[2] ?? '') as { version: Version; folder: string | null }
const log = createLog()
if (folder !== null) await applyMigrations(folder, log)
const router = createRouter().resource('v1', createNotes(version))
const server = await serve(createApp({ router, log, rateLimit: false }), { port: 0 })
console.log(`serves ${server.url}`)
