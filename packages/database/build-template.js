// Makes dist/template.tar.gz, an empty database, where it is missing: `initdb` takes seconds, once.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'

const file = new URL('dist/template.tar.gz', import.meta.url)
if (!existsSync(file)) {
  const database = await PGlite.create()
  const dump = await database.dumpDataDir('gzip')
  mkdirSync(new URL('.', file), { recursive: true })
  const draft = new URL(`template.${process.pid}`, file)
  writeFileSync(draft, new Uint8Array(await dump.arrayBuffer()))
  renameSync(draft, file)
  await database.close()
}
