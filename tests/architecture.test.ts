import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Manifest, readManifests } from './architecture/manifest.ts'
import {
  declaredImports,
  floors,
  namedExports,
  noCycles,
  noLeftovers,
  publicEntries,
  references,
  shortFiles,
} from './architecture/rules.ts'
import { parseSource as parse, readSources } from './architecture/source-file.ts'

const root = join(import.meta.dirname, '..')
const files = ['packages', 'tests', 'examples', 'benchmarks', 'scripts']
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readSources(root, folder))
  .filter(({ path }) => !/^packages\/create\/template|^packages\/[^/]+\/[^/]+$/.test(path))
const manifests = readManifests(root)

// Every rule is shown the house as it stands, and a house with a planted violation.
describe('floors', () => {
  it('hold', () => expect(floors(files)).toEqual([]))

  it.each([
    ['packages/protocol/src/a.ts', 'node:fs'],
    ['packages/protocol/src/a.ts', 'zod'],
    ['packages/server/src/a.ts', 'node:http'],
    ['packages/server/src/a.ts', 'ws'],
    ['packages/server/src/a.ts', '@sdk/database'],
    ['packages/server/src/node/a.ts', 'react'],
    ['packages/frontend/src/a.ts', '@sdk/server'],
    ['packages/react/src/a.tsx', '@sdk/server'],
    ['packages/database/src/a.ts', 'hono'],
    ['packages/redis/src/a.ts', '@sdk/protocol'],
    ['packages/auth/src/a.ts', '@sdk/frontend'],
    ['packages/auth/src/client.ts', '@sdk/server'],
    ['packages/auth/src/client.ts', 'better-auth'],
    ['packages/workbench/src/a.ts', 'react'],
    ['packages/workbench/src/ui/a.tsx', '@sdk/server'],
    ['packages/cli/src/a.ts', '@sdk/create'],
  ])('%s may not import %s', (path, name) => {
    expect(floors([parse(path, `import '${name}'`)])).toEqual([`${path} may not import ${name}`])
  })

  it.each([
    ['packages/server/src/node/a.ts', 'node:http'],
    ['packages/server/src/a.ts', 'hono/router/trie-router'],
    ['packages/auth/src/client.ts', 'better-auth/client'],
    ['packages/cli/src/a.ts', 'vite'],
    ['packages/protocol/src/a.test.ts', 'zod'],
  ])('%s may import %s', (path, name) => {
    expect(floors([parse(path, `import '${name}'`)])).toEqual([])
  })

  it('see every way to import', () => {
    const ways = `export { a } from 'a'; export * from 'b'; void import('c'); export type D = import('d').D`
    expect(floors([parse('packages/protocol/src/a.ts', ways)])).toHaveLength(4)
  })

  it('know every room', () => {
    expect(floors([parse('packages/attic/src/a.ts', '')])).toHaveLength(1)
  })
})

describe('noCycles', () => {
  it('holds', () => expect(noCycles(files)).toEqual([]))

  it('finds a ring of three', () => {
    const ring = [
      parse('a.ts', `import './b.ts'`),
      parse('b.ts', `export { c } from './c.ts'`),
      parse('c.ts', `import './a.ts'`),
    ]
    expect(noCycles(ring)).toEqual(['a.ts → b.ts → c.ts → a.ts'])
  })

  it('lets types speak of one another', () => {
    const pair = [parse('a.ts', `import type { B } from './b.ts'`), parse('b.ts', `import { a } from './a.ts'`)]
    expect(noCycles(pair)).toEqual([])
  })
})

describe('declaredImports', () => {
  it('holds', () => expect(declaredImports(files, manifests)).toEqual([]))

  const own: Manifest = { ...manifest('packages/a'), dependencies: ['hono'], devDependencies: ['zod'] }
  it('finds what package.json does not list', () => {
    const file = parse('packages/a/src/a.ts', `import 'hono/router'; import 'node:fs'; import '@scope/left-pad/x'`)
    expect(declaredImports([file], [own])).toEqual([
      'packages/a/src/a.ts imports @scope/left-pad/x, which its package.json does not list',
    ])
  })

  it('finds every package from outside of the workspaces', () => {
    const house = [manifest('packages/a'), manifest('benchmarks'), manifest('examples/b')]
    expect(declaredImports([parse('benchmarks/a.ts', `import '@sdk/a'; import 'autocannon'`)], house)).toHaveLength(1)
    expect(declaredImports([parse('tests/a.ts', `import '@sdk/a'`)], house)).toEqual([])
    expect(declaredImports([parse('examples/b/a.ts', `import '@sdk/a'`)], house)).toHaveLength(1)
  })

  it('leaves devDependencies to tests', () => {
    expect(declaredImports([parse('packages/a/src/a.ts', `import 'zod'`)], [own])).toHaveLength(1)
    expect(declaredImports([parse('packages/a/src/a.test.ts', `import 'zod'`)], [own])).toEqual([])
  })
})

describe('publicEntries', () => {
  it('hold', () => expect(publicEntries(files, manifests)).toEqual([]))

  it.each([
    ['tests/a.ts', '@sdk/a/src/b.ts'],
    ['tests/a.ts', '../packages/a/src/b.ts'],
    ['packages/b/src/c.ts', '../../a/src/b.ts'],
    ['examples/b/src/c.ts', '@sdk/a/dist/b.js'],
  ])('%s may not import %s', (path, name) => {
    const homes = [manifest('packages/a'), manifest('packages/b'), manifest('examples/b')]
    expect(publicEntries([parse(path, `import '${name}'`)], homes)).toHaveLength(1)
  })
})

describe('references', () => {
  it('hold', () => expect(references(manifests)).toEqual([]))

  it('find one that is missing and one without need', () => {
    const house = [
      { ...manifest(''), references: ['packages/a', 'packages/b'] },
      { ...manifest('packages/a'), references: ['packages/b'] },
      { ...manifest('packages/b'), dependencies: ['@sdk/a'] },
    ]
    expect(references(house)).toEqual([
      'packages/a/tsconfig.json refers to packages/b without need',
      'packages/b/tsconfig.json does not refer to packages/a',
    ])
  })
})

describe('names, exports and lengths', () => {
  it('hold', () => {
    expect([...noLeftovers(files), ...namedExports(files), ...shortFiles(files)]).toEqual([])
  })

  it.each(['src/utils.ts', 'src/helpers/a.ts', 'src/types.ts', 'src/lib/a.ts', 'src/util.test.ts'])(
    'finds %s',
    (path) => expect(noLeftovers([parse(`packages/a/${path}`, '')])).toHaveLength(1),
  )

  it('finds star and default exports', () => {
    const file = parse('packages/a/src/a.ts', `export * from './b.ts'; export default 1`)
    expect(namedExports([file])).toHaveLength(2)
  })

  it('finds a file of 301 lines', () => {
    expect(shortFiles([parse('packages/a/src/a.ts', '//\n'.repeat(301))])).toHaveLength(1)
    expect(shortFiles([parse('packages/a/src/a.ts', '//\n'.repeat(300))])).toEqual([])
  })
})

function manifest(folder: string): Manifest {
  const name = `@sdk/${folder.replace(/.*\//, '')}`
  return { folder, name, dependencies: [], devDependencies: [], entries: [name], references: [] }
}
