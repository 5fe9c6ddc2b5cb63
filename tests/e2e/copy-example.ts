import { cpSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'

const ROOT = join(import.meta.dirname, '../..')
const GENERATED = new Set(['.sdk', 'dist', 'node_modules'])

/** Copies an example into a temporary folder, so that its data and build do not remain in the clone. */
export function copyExample(name: string): string {
  const path = join(temporaryFolder('example').path, name)
  cpSync(join(ROOT, 'examples', name), path, { recursive: true, filter: (file) => !GENERATED.has(basename(file)) })
  symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'))
  return path
}
