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

/** What every program imports too, which must be the only complaint: so each compiler is seen to look. */
const MISSING = '@sdk/protocol/missing'
const ONE_COMPLAINT = new RegExp(`^[^\\n]*Cannot find module '${MISSING}'[^\\n]*\\n$`)

function write({ entries: own, ...program }: Pick<Program, 'entries'> & Partial<Program>): string {
  return writeProgram(folder.path, { resolution: 'nodenext', types: ['node'], entries: [...own, MISSING], ...program })
}

describe('the declarations', () => {
  it('compile with all they lead to', { timeout }, async () => {
    expect(await compile(folder.path, write({ entries }))).toMatch(ONE_COMPLAINT)
  })

  it("compile as bundlers find them, and in browsers without Node's types", { timeout }, async () => {
    const browser = entries.filter((entry) => /protocol|frontend|react|client/.test(entry))
    expect(browser).toHaveLength(4)
    const program = write({ entries: browser, resolution: 'bundler', types: [] })
    expect(await compile(folder.path, program)).toMatch(ONE_COMPLAINT)
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

  describe('beside Drizzle', () => {
    beforeAll(() => {
      const find = createRequire(join(import.meta.dirname, '../../packages/auth/package.json'))
      symlinkSync(dirname(find.resolve('drizzle-orm')), join(folder.path, 'node_modules/drizzle-orm'))
    })

    it('can be imported', async () => {
      expect(await importEntry(folder.path, TABLES)).toEqual({ code: 0, output: '' })
    })

    // Drizzle's own declarations do not pass a strict look; ours must.
    it.each(OLDER_COMPILERS)('compile with TypeScript %s, and all other entries too', { timeout }, (version) => {
      expect(compileOurs(version, write({ entries: [...entries, TABLES] }))).toMatch(ONE_COMPLAINT)
    })
  })
})
