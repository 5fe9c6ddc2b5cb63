import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const architecture = 'docs/internals/architecture.md'
const internals = readdirSync(join(root, 'docs/internals')).filter((name) => name.endsWith('.md'))
const pages = ['AGENTS.md', ...internals.map((name) => `docs/internals/${name}`)]
const read = (page: string): string => readFileSync(join(root, page), 'utf8')

/** `server/app/app` is a file of a package, `app/app` a file of the server, `tests/contract` a folder. */
function doesExist(name: string): boolean {
  const [first = '', ...rest] = name.split('/')
  const bases = [join('packages', first, 'src', ...rest), join('packages/server/src', name), name]
  return bases.some((base) => ['', '.ts', '.tsx'].some((end) => existsSync(join(root, base + end))))
}

describe.each(pages)('%s', (page) => {
  it('names files that exist', () => {
    const names = Array.from(read(page).matchAll(/`([a-z][a-z0-9-]*(?:\/[a-z0-9-]+)+)`/g), ([, name = '']) => name)
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !doesExist(name))).toEqual([])
  })
})

describe('docs/internals/architecture.md', () => {
  it('lists exactly the folders of the server', () => {
    const listed = Array.from(read(architecture).matchAll(/^\|\s*\d+ \| `([a-z]+)\/` /gm), ([, folder = '']) => folder)
    const entries = readdirSync(join(root, 'packages/server/src'), { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    expect(listed.toSorted()).toEqual(folders.toSorted())
  })

  it('lists every package', () => {
    const listed = new Set(Array.from(read(architecture).matchAll(/^\| `([a-z-]+)` /gm), ([, name = '']) => name))
    expect(readdirSync(join(root, 'packages')).filter((name) => !listed.has(name))).toEqual([])
  })
})
