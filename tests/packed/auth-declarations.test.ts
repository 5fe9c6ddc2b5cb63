import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const DIST = join(import.meta.dirname, '../../packages/auth/dist')

/** Returns the packages that a declaration file imports, directly or through its own files. */
function importsOf(entry: string): { files: string[]; packages: string[] } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const open = [join(DIST, entry)]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue
    files.add(file)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      if (name.startsWith('.')) open.push(join(dirname(file), name.replace(/\.(ts|js)$/, '.d.ts')))
      else packages.add(name)
    }
  }
  return { files: [...files], packages: [...packages].toSorted() }
}

describe('type declarations of @sdk/auth', () => {
  it('do not use types of Better Auth', () => {
    const { files, packages } = importsOf('index.d.ts')
    expect(files.map((file) => file.slice(DIST.length + 1))).toEqual(
      expect.arrayContaining(['index.d.ts', 'create-auth.d.ts', 'auth-options.d.ts', 'drizzle-adapter.d.ts']),
    )
    expect(packages).toEqual(['@sdk/database', '@sdk/protocol', '@sdk/server'])
  })

  it('import Drizzle only in the schema entry', () => {
    expect(importsOf('schema.d.ts').packages).toEqual(['drizzle-orm/pg-core'])
    expect(importsOf('client.d.ts').packages.filter((name) => /drizzle|better-auth/.test(name))).toEqual([])
  })

  it('are followed to their imports of better-auth', () => {
    expect(importsOf('better-auth/better-auth.d.ts').packages).toContain('better-auth')
  })
})
