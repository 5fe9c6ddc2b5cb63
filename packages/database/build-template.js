// The files in `dist` that tsc does not make: the worker, as it is, and template.tar.gz, an empty database, where it is
// missing: `initdb` takes seconds, once.
import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'

const dist = new URL('dist/', import.meta.url)
mkdirSync(dist, { recursive: true })
copyFileSync(new URL('src/pglite-worker.js', import.meta.url), new URL('pglite-worker.js', dist))

const file = new URL('template.tar.gz', dist)
if (!existsSync(file)) {
  const database = await PGlite.create()
  const dump = await database.dumpDataDir('gzip')
  const draft = new URL(`template.${process.pid}`, dist)
  writeFileSync(draft, new Uint8Array(await dump.arrayBuffer()))
  renameSync(draft, file)
  await database.close()
}
