// Writes the files in `dist` that tsc does not: a copy of the worker and, where it is missing, template.tar.gz, an empty
// database (`initdb` takes seconds).
import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'

const dist = new URL('dist/', import.meta.url)
const worker = 'pglite/pglite-worker.js'
mkdirSync(new URL('pglite/', dist), { recursive: true })
copyFileSync(new URL(`src/${worker}`, import.meta.url), new URL(worker, dist))

const file = new URL('template.tar.gz', dist)
if (!existsSync(file)) {
  const database = await PGlite.create()
  const dump = await database.dumpDataDir('gzip')
  const draft = new URL(`template.${process.pid}`, dist)
  writeFileSync(draft, new Uint8Array(await dump.arrayBuffer()))
  renameSync(draft, file)
  await database.close()
}
