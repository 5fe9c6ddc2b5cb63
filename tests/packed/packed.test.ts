import { symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packAll, readPublishable } from '../../scripts/publishable.ts'
import { compile, importEntry, installPacked, type Program, writeProgram } from './consumer.ts'
import { compileOurs, OLDER_COMPILERS } from './older-compilers.ts'

const packages = readPublishable()
/** The entry that is of use only beside Drizzle, which the project installs itself. */
const TABLES = '@sdk/auth/schema'
const entries = packages.flatMap((pkg) => pkg.entries).filter((entry) => entry !== TABLES)
const folder = temporaryFolder('packed')
/** A compiler on a busy machine takes minutes. */
const timeout = 600_000
let packed: Awaited<ReturnType<typeof packAll>> = []

beforeAll(async () => {
  packed = await packAll(join(folder.path, 'tarballs'))
  await installPacked(folder.path, packed)
}, 300_000)

afterAll(() => folder.remove())

describe.each(packages.map(({ name }) => name))('the tarball of %s', (name) => {
  it('holds what users need and nothing else', () => {
    const files = packed.find((pkg) => pkg.name === name)?.files ?? []
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE']))
    expect(files).toContain('dist/index.js')
    expect(files).toContain('dist/index.d.ts')
    expect(files).toContain('src/index.ts')
    const own = files.filter((file) => !file.startsWith('template/')) // what becomes somebody's app has tests of its own
    expect(own.filter((file) => /\.test(-d)?\.|tsbuildinfo|node_modules/.test(file))).toEqual([])
  })
})

describe('the declarations', () => {
  const missing = ['@sdk/protocol/missing']
  const write = (program: Pick<Program, 'entries'> & Partial<Program>): string =>
    writeProgram(folder.path, { resolution: 'nodenext', types: ['node'], ...program })

  it('compile with all they lead to', { timeout }, async () => {
    expect(await compile(folder.path, write({ entries }))).toBe('')
  })

  it("compile as bundlers find them, and in browsers without Node's types", { timeout }, async () => {
    const browser = entries.filter((entry) => /protocol|frontend|react|client/.test(entry))
    expect(browser).toHaveLength(4)
    expect(await compile(folder.path, write({ entries: browser, resolution: 'bundler', types: [] }))).toBe('')
  })

  it.each(OLDER_COMPILERS)('compile with TypeScript %s', { timeout }, (version) => {
    expect(compileOurs(version, write({ entries }))).toBe('')
  })

  it('do not compile where there are none', { timeout }, async () => {
    const complaint = "Cannot find module '@sdk/protocol/missing'"
    expect(await compile(folder.path, write({ entries: missing }))).toContain(complaint)
    expect(compileOurs('5.9', write({ entries: missing }))).toContain(complaint)
  })
})

describe('plain Node', () => {
  it.each(entries)('imports %s', { timeout }, async (entry) => {
    expect(await importEntry(folder.path, entry)).toEqual({ code: 0, output: '' })
  })

  it('fails on what is not there', async () => {
    expect(await importEntry(folder.path, '@sdk/protocol/missing')).toMatchObject({ code: 1 })
  })
})

describe('the embedded database', () => {
  it('begins as a copy of the template in the tarball, which takes a fifth of the time', async () => {
    const module = join(folder.path, 'node_modules/@sdk/database/dist/pglite/template.js')
    const { startFromTemplate } = (await import(module)) as {
      startFromTemplate: (start: (options: { template: Uint8Array | null }) => unknown, directory: null) => unknown
    }
    let size = 0
    await startFromTemplate(({ template }) => (size = template?.length ?? 0), null)
    expect(size).toBeGreaterThan(1_000_000)
  })
})

describe('the tables of auth', () => {
  it('are not there without Drizzle, which everything above did without', async () => {
    const { code, output } = await importEntry(folder.path, TABLES)
    expect([code, output]).toEqual([1, expect.stringContaining("Cannot find package 'drizzle-orm'")])
  })

  it('can be imported and compiled beside Drizzle', { timeout }, async () => {
    const find = createRequire(join(import.meta.dirname, '../../packages/auth/package.json'))
    symlinkSync(dirname(find.resolve('drizzle-orm')), join(folder.path, 'node_modules/drizzle-orm'))
    expect(await importEntry(folder.path, TABLES)).toEqual({ code: 0, output: '' })
    const program = writeProgram(folder.path, { entries: [TABLES], resolution: 'nodenext', types: ['node'] })
    // Drizzle's own declarations do not pass a strict look; ours must.
    expect(compileOurs('5.9', program)).toBe('')
  })
})
