import { readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { openDatabase as OpenDatabase } from '@sdk/database'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Packed, readPublishable } from '../../scripts/publishable.ts'
import { choose } from '../chaos/mode.ts'
import { compile, importEntries, installPacked, type Program, writeDefinitions, writeProgram } from './consumer.ts'
import { compileOurs, OLDER_COMPILERS } from './older-compilers.ts'
import { packOnce } from './pack-once.ts'

const packages = readPublishable()
/** The entry that needs Drizzle, which the project installs itself. */
const TABLES = '@sdk/auth/schema'
/** The entry that needs the MCP client, likewise. */
const MCP_TESTING = '@sdk/mcp/testing'
const entries = packages.flatMap((pkg) => pkg.entries).filter((entry) => entry !== TABLES && entry !== MCP_TESTING)
const folder = temporaryFolder('packed')
/** A compiler on a busy machine takes minutes. */
const timeout = 600_000
let packed: readonly Packed[] = []

beforeAll(async () => {
  packed = await packOnce(join(folder.path, 'tarballs'))
  await installPacked(folder.path, packed)
}, 300_000)

afterAll(() => folder.remove())

describe.each(packages.map(({ name }) => name))('tarball of %s', (name) => {
  it('contains the published files and no tests', () => {
    const files = packed.find((pkg) => pkg.name === name)?.files ?? []
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE']))
    expect(files).toContain('dist/index.js')
    expect(files).toContain('dist/index.d.ts')
    expect(files).toContain('src/index.ts')
    const own = files.filter((file) => !file.startsWith('template/')) // templates include tests
    expect(own.filter((file) => /\.test(-d)?\.|tsbuildinfo|node_modules/.test(file))).toEqual([])
  })

  it('reads NODE_ENV at run time, not when it is built', () => {
    const files = packed.find((pkg) => pkg.name === name)?.files ?? []
    const countReads = (paths: RegExp): number =>
      files
        .filter((file) => paths.test(file))
        .map((file) => readFileSync(join(folder.path, 'node_modules', name, file), 'utf8'))
        .reduce((sum, text) => sum + (text.match(/process\??\.env\??\.?\[['"]NODE_ENV['"]\]/g)?.length ?? 0), 0)
    expect(countReads(/^dist\/(?!ui\/).*\.js$/)).toBe(countReads(/^src\/(?!ui\/).*\.tsx?$/))
  })
})

/** A missing module that every program imports: the one expected error proves that the compiler checks imports. */
const MISSING = '@sdk/protocol/missing'
const ONE_ERROR = new RegExp(`^[^\\n]*Cannot find module '${MISSING}'[^\\n]*\\n$`)

function write({ entries: own, ...program }: Pick<Program, 'entries'> & Partial<Program>): string {
  return writeProgram(folder.path, { resolution: 'nodenext', types: ['node'], entries: [...own, MISSING], ...program })
}

describe('type declarations', () => {
  it('compile with all their imports', { timeout }, async () => {
    expect(await compile(folder.path, write({ entries }))).toMatch(ONE_ERROR)
  })

  it("compile with the resolution of bundlers and without Node's types", { timeout }, async () => {
    const browser = entries.filter((entry) => /protocol|frontend|react|client/.test(entry))
    expect(browser).toHaveLength(7)
    const program = write({ entries: browser, resolution: 'bundler', types: [] })
    expect(await compile(folder.path, program)).toMatch(ONE_ERROR)
  })

  it('name all types of an app, so that the app can emit declarations (TS2742, TS2883)', { timeout }, async () => {
    expect(await compile(folder.path, writeDefinitions(folder.path))).toBe('')
  })
})

describe('plain Node', () => {
  // A short run imports them one after the other in one process, which then exits by itself.
  const groups = choose<readonly string[][]>(
    entries.map((entry) => [entry]),
    [entries],
  )
  it.each(groups.map((names) => ({ names })))('imports $names', { timeout }, async ({ names }) => {
    expect(await importEntries(folder.path, names)).toEqual({ code: 0, output: '' })
  })

  it('fails to import a missing entry', async () => {
    expect(await importEntries(folder.path, ['@sdk/protocol/missing'])).toMatchObject({ code: 1 })
  })
})

describe('the embedded database', () => {
  it('starts from the template in the tarball', async () => {
    const entry = join(folder.path, 'node_modules/@sdk/database/dist/index.js')
    const { openDatabase } = (await import(entry)) as { openDatabase: typeof OpenDatabase }
    const identify = async (): Promise<unknown> => {
      const database = openDatabase('pglite://memory')
      const rows = await database.query('select system_identifier from pg_control_system()')
      await database.close()
      return rows
    }
    // initdb would create a new identifier.
    expect(await identify()).toEqual(await identify())
  })
})

describe('@sdk/mcp/testing', () => {
  it('cannot be imported without the MCP client', async () => {
    const { code, output } = await importEntries(folder.path, [MCP_TESTING])
    expect([code, output]).toEqual([1, expect.stringContaining("Cannot find package '@modelcontextprotocol/client'")])
  })
})

describe('@sdk/auth/schema', () => {
  it('cannot be imported without Drizzle', async () => {
    const { code, output } = await importEntries(folder.path, [TABLES])
    expect([code, output]).toEqual([1, expect.stringContaining("Cannot find package 'drizzle-orm'")])
  })

  describe('with Drizzle installed', () => {
    beforeAll(() => {
      const find = createRequire(join(import.meta.dirname, '../../packages/auth/package.json'))
      symlinkSync(dirname(find.resolve('drizzle-orm')), join(folder.path, 'node_modules/drizzle-orm'))
    })

    it('can be imported', async () => {
      expect(await importEntries(folder.path, [TABLES])).toEqual({ code: 0, output: '' })
    })

    // Drizzle's own declarations do not compile with skipLibCheck off; ours must.
    // A short run tests the oldest compiler; the newest one compiles all entries above.
    it.each(OLDER_COMPILERS.slice(0, choose<number>(OLDER_COMPILERS.length, 1)))(
      'compiles with TypeScript %s, together with all other entries',
      { timeout },
      (version) => {
        expect(compileOurs(version, write({ entries: [...entries, TABLES] }))).toMatch(ONE_ERROR)
      },
    )
  })
})
