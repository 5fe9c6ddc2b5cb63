import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packAll, readPublishable } from '../../scripts/publishable.ts'
import { compile, COMPILERS, importEntry, installPacked } from './consumer.ts'

const packages = readPublishable()
const entries = packages.flatMap((pkg) => pkg.entries)
const folder = temporaryFolder('packed')
const timeout = 120_000
let packed: Awaited<ReturnType<typeof packAll>> = []

beforeAll(async () => {
  packed = await packAll(join(folder.path, 'tarballs'))
  await installPacked(folder.path, packed)
}, 300_000)

afterAll(() => folder.remove())

describe.each(packages.map(({ name }) => name))('the tarball of %s', (name) => {
  it('holds what users need and nothing else', () => {
    const files = packed.find((pkg) => pkg.name === name)?.files ?? []
    expect(files).toContain('README.md')
    expect(files).toContain('dist/index.js')
    expect(files).toContain('dist/index.d.ts')
    expect(files).toContain('src/index.ts')
    expect(files.filter((file) => /\.test(-d)?\.|tsbuildinfo|node_modules/.test(file))).toEqual([])
  })
})

describe('the declarations', () => {
  it.each(Object.keys(COMPILERS))(
    'compile with TypeScript %s, found as Node finds them',
    { timeout },
    async (version) => {
      expect(await compile(folder.path, { version, resolution: 'nodenext', entries, types: ['node'] })).toBe('')
    },
  )

  it('compile when found as bundlers find them', { timeout }, async () => {
    expect(await compile(folder.path, { version: '7.0', resolution: 'bundler', entries, types: ['node'] })).toBe('')
  })

  it("compile without Node's types where they are for browsers", { timeout }, async () => {
    const browser = entries.filter((entry) => /protocol|frontend|react|client/.test(entry))
    expect(browser).toHaveLength(4)
    expect(await compile(folder.path, { version: '7.0', resolution: 'bundler', entries: browser, types: [] })).toBe('')
  })

  it('do not compile where there are none', { timeout }, async () => {
    const missing = { version: '7.0', resolution: 'nodenext', entries: ['@sdk/protocol/missing'], types: [] } as const
    expect(await compile(folder.path, missing)).toContain("Cannot find module '@sdk/protocol/missing'")
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
