import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePages } from './reference/pages.ts'

const root = join(import.meta.dirname, '..')

for (const [path, text] of await makePages(root)) {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
  console.log(path)
}
