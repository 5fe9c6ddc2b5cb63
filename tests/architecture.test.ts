import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Manifest, readManifests } from './architecture/manifest.ts'
import {
  declaredImports,
  distinctNames,
  namedExports,
  noCycles,
  noPartsTypes,
  packageLayers,
  publicEntries,
  references,
  serverLayers,
  shortFiles,
  smallFolders,
  specificFileNames,
} from './architecture/rules.ts'
import { parseSource as parse, readSources } from './architecture/source-file.ts'

const root = join(import.meta.dirname, '..')
const files = ['packages', 'tests', 'examples', 'benchmarks', 'scripts']
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readSources(root, folder))
  .filter(({ path }) => !/^packages\/(?:create|cli)\/template|^packages\/[^/]+\/[^/]+$/.test(path))
const manifests = readManifests(root)

// Each rule runs on the repository and on deliberate violations.
describe('packageLayers', () => {
  it('finds no violation in the repository', () => expect(packageLayers(files)).toEqual([]))

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
    ['packages/mcp/src/a.ts', '@modelcontextprotocol/client'],
    ['packages/mcp/src/testing.ts', '@modelcontextprotocol/server'],
    ['packages/auth/src/a.ts', '@sdk/frontend'],
    ['packages/auth/src/client.ts', '@sdk/server'],
    ['packages/auth/src/client.ts', 'better-auth'],
    ['packages/workbench/src/a.ts', 'react'],
    ['packages/workbench/src/ui/a.tsx', '@sdk/server'],
    ['packages/cli/src/a.ts', '@sdk/create'],
  ])('does not allow %s to import %s', (path, name) => {
    expect(packageLayers([parse(path, `import '${name}'`)])).toEqual([`${path} may not import ${name}`])
  })

  it.each([
    ['packages/server/src/node/a.ts', 'node:http'],
    ['packages/server/src/a.ts', 'hono/router/trie-router'],
    ['packages/auth/src/client.ts', 'better-auth/client'],
    ['packages/cli/src/a.ts', 'vite'],
    ['packages/protocol/src/a.test.ts', 'zod'],
  ])('allows %s to import %s', (path, name) => {
    expect(packageLayers([parse(path, `import '${name}'`)])).toEqual([])
  })

  it('checks every form of import', () => {
    const forms = `export { a } from 'a'; export * from 'b'; void import('c'); export type D = import('d').D`
    expect(packageLayers([parse('packages/protocol/src/a.ts', forms)])).toHaveLength(4)
  })

  it('reports an unknown package', () => {
    expect(packageLayers([parse('packages/unknown/src/a.ts', '')])).toHaveLength(1)
  })
})

describe('serverLayers', () => {
  it('finds no violation in the repository', () => expect(serverLayers(files)).toEqual([]))

  it.each([
    ['http/a.ts', `import { app } from '../app/b.ts'`, 'app/b.ts'],
    ['http/a.ts', `import type { App } from '../app/b.ts'`, 'app/b.ts'],
    ['http/a.ts', `export type App = import('../app/b.ts').App`, 'app/b.ts'],
    ['resource/a.ts', `import '../socket/b.ts'`, 'socket/b.ts'],
    ['engine/driver/a.ts', `import '../../http/b.ts'`, 'http/b.ts'],
    ['node/a.ts', `import '../index.ts'`, 'index.ts'],
  ])('does not allow in %s: %s', (path, code, target) => {
    expect(serverLayers([parse(`packages/server/src/${path}`, code)])).toEqual([
      `packages/server/src/${path} may not import packages/server/src/${target}, which is not in a lower layer`,
    ])
  })

  it.each([
    ['app/a.ts', `import '../http/b.ts'`],
    ['engine/driver/a.ts', `import '../engine.ts'`],
    ['index.ts', `export { a } from './app/a.ts'`],
    ['http/a.test.ts', `import '../app/b.ts'`],
  ])('allows in %s: %s', (path, code) => {
    expect(serverLayers([parse(`packages/server/src/${path}`, code)])).toEqual([])
  })

  it('reports an unknown folder', () => {
    expect(serverLayers([parse('packages/server/src/unknown/a.ts', '')])).toHaveLength(1)
  })
})

describe('noCycles', () => {
  it('finds no cycle in the repository', () => expect(noCycles(files)).toEqual([]))

  it('finds a cycle of three files', () => {
    const cycle = [
      parse('a.ts', `import './b.ts'`),
      parse('b.ts', `export { c } from './c.ts'`),
      parse('c.ts', `import './a.ts'`),
    ]
    expect(noCycles(cycle)).toEqual(['a.ts → b.ts → c.ts → a.ts'])
  })

  it('counts imports of types', () => {
    const pair = [parse('a.ts', `import type { B } from './b.ts'`), parse('b.ts', `import { a } from './a.ts'`)]
    expect(noCycles(pair)).toEqual(['a.ts → b.ts → a.ts'])
  })
})

describe('declaredImports', () => {
  it('finds no violation in the repository', () => expect(declaredImports(files, manifests)).toEqual([]))

  const own: Manifest = { ...manifest('packages/a'), dependencies: ['hono'], devDependencies: ['zod'] }
  it('finds imports that package.json does not list', () => {
    const file = parse('packages/a/src/a.ts', `import 'hono/router'; import 'node:fs'; import '@scope/left-pad/x'`)
    expect(declaredImports([file], [own])).toEqual([
      'packages/a/src/a.ts imports @scope/left-pad/x, which its package.json does not list',
    ])
  })

  it('allows files outside of the workspaces to import every package', () => {
    const workspace = [manifest('packages/a'), manifest('benchmarks'), manifest('examples/b')]
    expect(declaredImports([parse('benchmarks/a.ts', `import '@sdk/a'; import 'autocannon'`)], workspace)).toHaveLength(
      1,
    )
    expect(declaredImports([parse('tests/a.ts', `import '@sdk/a'`)], workspace)).toEqual([])
    expect(declaredImports([parse('examples/b/a.ts', `import '@sdk/a'`)], workspace)).toHaveLength(1)
  })

  it('allows only tests to import devDependencies', () => {
    expect(declaredImports([parse('packages/a/src/a.ts', `import 'zod'`)], [own])).toHaveLength(1)
    expect(declaredImports([parse('packages/a/src/a.test.ts', `import 'zod'`)], [own])).toEqual([])
  })
})

describe('publicEntries', () => {
  it('finds no violation in the repository', () => expect(publicEntries(files, manifests)).toEqual([]))

  it.each([
    ['tests/a.ts', '@sdk/a/src/b.ts'],
    ['tests/a.ts', '../packages/a/src/b.ts'],
    ['packages/b/src/c.ts', '../../a/src/b.ts'],
    ['examples/b/src/c.ts', '@sdk/a/dist/b.js'],
  ])('does not allow %s to import %s', (path, name) => {
    const packages = [manifest('packages/a'), manifest('packages/b'), manifest('examples/b')]
    expect(publicEntries([parse(path, `import '${name}'`)], packages)).toHaveLength(1)
  })
})

describe('references', () => {
  it('finds no violation in the repository', () => expect(references(manifests)).toEqual([]))

  it('finds missing and unnecessary references', () => {
    const workspace = [
      { ...manifest(''), references: ['packages/a', 'packages/b'] },
      { ...manifest('packages/a'), references: ['packages/b'] },
      { ...manifest('packages/b'), dependencies: ['@sdk/a'] },
    ]
    expect(references(workspace)).toEqual([
      'packages/a/tsconfig.json refers to packages/b without need',
      'packages/b/tsconfig.json does not refer to packages/a',
    ])
  })
})

/** Names that mean the same in every file that declares them. */
const SHARED_NAMES: readonly string[] = []

describe('rules for names, exports and sizes', () => {
  it('find no violation in the repository', () => {
    expect([
      ...specificFileNames(files),
      ...namedExports(files),
      ...shortFiles(files),
      ...smallFolders(files),
      ...noPartsTypes(files),
      ...distinctNames(files, SHARED_NAMES),
    ]).toEqual([])
  })

  it('find a folder of 33 source files', () => {
    const folder = Array.from({ length: 33 }, (_, at) => parse(`packages/a/src/b/file-${at}.ts`, ''))
    expect(smallFolders(folder)).toEqual(['packages/a/src/b has 33 source files'])
    expect(smallFolders([...folder.slice(1), parse('packages/a/src/b/a.test.ts', '')])).toEqual([])
  })

  it('find a type whose name ends with Parts', () => {
    expect(noPartsTypes([parse('packages/a/src/a.ts', `export interface HubParts {}; type Parts = {}`)])).toHaveLength(
      2,
    )
    expect(noPartsTypes([parse('packages/a/src/a.ts', `function countParts() {}`)])).toEqual([])
  })

  it('find a name that four files declare', () => {
    const codes = ['export function toText() {}', 'const toText = 1', 'class toText {}', 'type toText = 1']
    const four = codes.map((code, at) => parse(`packages/a/src/${at}.ts`, code))
    expect(distinctNames(four)).toHaveLength(1)
    expect(distinctNames(four, ['toText'])).toEqual([])
    expect(distinctNames(four.slice(1))).toEqual([])
  })

  it.each(['src/utils.ts', 'src/helpers/a.ts', 'src/types.ts', 'src/lib/a.ts', 'src/util.test.ts'])('find %s', (path) =>
    expect(specificFileNames([parse(`packages/a/${path}`, '')])).toHaveLength(1),
  )

  it('find star and default exports', () => {
    const file = parse('packages/a/src/a.ts', `export * from './b.ts'; export default 1`)
    expect(namedExports([file])).toHaveLength(2)
  })

  it('find a file of 301 lines', () => {
    expect(shortFiles([parse('packages/a/src/a.ts', '//\n'.repeat(301))])).toHaveLength(1)
    expect(shortFiles([parse('packages/a/src/a.ts', '//\n'.repeat(300))])).toEqual([])
  })
})

function manifest(folder: string): Manifest {
  const name = `@sdk/${folder.replace(/.*\//, '')}`
  return { folder, name, dependencies: [], devDependencies: [], entries: [name], imports: [], references: [] }
}
