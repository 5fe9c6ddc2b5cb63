import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const pages = readdirSync(join(root, 'docs/internals')).filter((name) => name.endsWith('.md'))
const read = (name: string): string => readFileSync(join(root, 'docs/internals', name), 'utf8')

/** `server/http/handle` is a file of a package, `http/handle` one of the server, `tests/contract` a folder. */
function isThere(name: string): boolean {
  const [room = '', ...rest] = name.split('/')
  const bases = [join('packages', room, 'src', ...rest), join('packages/server/src', name), name]
  return bases.some((base) => ['', '.ts', '.tsx'].some((end) => existsSync(join(root, base + end))))
}

describe.each(pages)('docs/internals/%s', (page) => {
  it('names files that are there', () => {
    const names = Array.from(read(page).matchAll(/`([a-z][a-z0-9-]*(?:\/[a-z0-9-]+)+)`/g), ([, name = '']) => name)
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !isThere(name))).toEqual([])
  })
})

describe('docs/internals/house.md', () => {
  it('has every room of the server, and no other', () => {
    const told = Array.from(read('house.md').matchAll(/^\| `([a-z]+)\/` /gm), ([, room = '']) => room)
    const rooms = readdirSync(join(root, 'packages/server/src'), { withFileTypes: true })
    const there = rooms.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    expect(told.filter((room) => room !== 'src').toSorted()).toEqual(there.toSorted())
  })

  it('has every package', () => {
    const told = new Set(Array.from(read('house.md').matchAll(/^\| `([a-z-]+)` /gm), ([, name = '']) => name))
    expect(readdirSync(join(root, 'packages')).filter((name) => !told.has(name))).toEqual([])
  })
})
