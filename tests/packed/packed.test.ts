import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packAll, readPublishable } from '../../scripts/publishable.ts'
import { compile, COMPILERS, importEntry, installPacked } from './consumer.ts'

const packages = readPublishable()
const entries = packages.flatMap((pkg) => pkg.entries)
const browserEntries = entries.filter((entry) => /protocol|frontend|react|client/.test(entry))
const folder = temporaryFolder('packed')
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

describe.each(Object.keys(COMPILERS))('TypeScript %s', (version) => {
  it('compiles every entry, found as Node and as bundlers find it', { timeout: 180_000 }, async () => {
    const types = ['node']
    const complaints = await Promise.all([
      compile(folder.path, { version, resolution: 'nodenext', entries, types }),
      compile(folder.path, { version, resolution: 'bundler', entries, types }),
    ])
    expect(complaints.join('')).toBe('')
  })
})

describe("TypeScript without Node's types", () => {
  it('compiles every entry that runs in a browser', { timeout: 60_000 }, async () => {
    const version = '7.0'
    expect(browserEntries).toHaveLength(4)
    expect(await compile(folder.path, { version, resolution: 'bundler', entries: browserEntries, types: [] })).toBe('')
  })

  it('complains about an entry that is not there', { timeout: 60_000 }, async () => {
    const missing = { version: '7.0', resolution: 'nodenext', entries: ['@sdk/protocol/missing'], types: [] } as const
    expect(await compile(folder.path, missing)).toContain("Cannot find module '@sdk/protocol/missing'")
  })
})

describe('plain Node', () => {
  it.each(entries)('imports %s', { timeout: 60_000 }, async (entry) => {
    expect(await importEntry(folder.path, entry)).toEqual({ code: 0, output: '' })
  })

  it('fails on what is not there', async () => {
    expect(await importEntry(folder.path, '@sdk/protocol/missing')).toMatchObject({ code: 1 })
  })
})
