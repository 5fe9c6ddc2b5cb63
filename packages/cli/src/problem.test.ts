import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { printProblem, toLoadProblem } from './problem.ts'
import { createTerminalStyle } from '@sdk/server/node'

const root = temporaryFolder('problem').path
const file = join(root, 'agent.ts')
writeFileSync(file, 'const a = 1\nconst = 2\n')

describe('toLoadProblem', () => {
  it('reads the location and the plain message from the compiler', () => {
    const issue = {
      message: '\u001B[31m[PARSE_ERROR]\u001B[0m Unexpected token\n  ╭─[ … ]',
      id: file,
      loc: { file, line: 2, column: 6 },
    }
    const error = Object.assign(new Error('Transform failed with 1 error'), { errors: [issue] })
    expect(toLoadProblem(error, { root, file: join(root, 'index.ts'), route: 'POST /agent/a' })).toEqual({
      route: 'POST /agent/a',
      message: 'Unexpected token',
      file: 'agent.ts',
      place: { line: 2, column: 7 },
      frame: '  1 | const a = 1\n> 2 | const = 2\n    |       ^\n  3 |',
    })
  })

  it('adds the fix for system errors', () => {
    const error = Object.assign(new Error("EACCES: permission denied, open 'a.ts'"), {
      code: 'EACCES',
      syscall: 'open',
    })
    expect(toLoadProblem(error, { root, file, route: '/' }).message).toBe(
      "EACCES: permission denied, open 'a.ts': check its owner with ls -l, and give your user read and write access",
    )
  })

  it('uses the given location if the error has none', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED'), { stack: '' })
    const { file: where, place } = toLoadProblem(error, { root, file: root, route: '/api/*', at: 'agent.ts:2:7' })
    expect([where, place]).toEqual(['agent.ts', { line: 2, column: 7 }])
  })

  it.each([
    ["Cannot find module '@a/b/c' imported from '/x.ts'", 'the package @a/b is not installed: npm install @a/b'],
    ["Cannot find module 'b/c' imported from '/x.ts'", 'the package b is not installed: npm install b'],
    [
      'Failed to resolve import "b" from "src/x.tsx". Does the file exist?',
      'the package b is not installed: npm install b',
    ],
    ['Failed to resolve import "./b.ts" from "src/x.tsx". Does the file exist?', 'file not found: ./b.ts'],
    [
      "Cannot find module '@/lib/b' imported from '/x.ts'",
      'cannot resolve @/lib/b: use a relative path, or set vite: { resolve: { tsconfigPaths: true } } in sdk.config.ts to apply the paths of tsconfig.json',
    ],
    ['Failed to load url ./b.ts (resolved id: ./b.ts) in /x.ts. Does it exist?', 'file not found: ./b.ts'],
    [`Failed to load url /@fs${root}/b.ts (resolved id: ${root}/b.ts). Does it exist?`, 'file not found: b.ts'],
    ['Failed to load url ./b c.ts (resolved id: ./b c.ts) in /x.ts. Does it exist?', 'file not found: ./b c.ts'],
    [
      "Cannot find package '/a b/node_modules/c/index.js' imported from '/x.ts'",
      'the package c is incomplete: npm install',
    ],
    ['(0 , __vite_ssr_import_1__.later) is not a function', 'later is not a function'],
    ['__vite_ssr_import_2__.z.strin is not a function', 'z.strin is not a function'],
  ])('describes %s', (thrown, expected) => {
    expect(toLoadProblem(new Error(thrown), { root, file, route: '/' }).message).toBe(expected)
  })

  it('uses the first stack line that is in the project', () => {
    const error = new TypeError('no handler')
    error.stack = `TypeError: no handler\n    at createAgent (${root}/node_modules/x/index.js:9:9)\n    at eval (${file}:1:7)`
    expect(toLoadProblem(error, { root, file, route: 'x' })).toMatchObject({
      file: 'agent.ts',
      place: { line: 1, column: 7 },
    })
  })

  it.each(['at createAgent (', 'at async ', 'at '])('finds a path with spaces and parentheses after %j', (start) => {
    const folder = join(root, 'my app (copy)')
    const path = join(folder, 'agent.ts')
    const error = new TypeError('no handler')
    error.stack = `TypeError: no handler\n    ${start}${path}:1:7${start.endsWith('(') ? ')' : ''}`
    const located = { file: 'agent.ts', place: { line: 1, column: 7 } }
    expect(toLoadProblem(error, { root: folder, file: folder, route: 'x' })).toMatchObject(located)
    error.stack = error.stack.replaceAll(folder, folder.replaceAll(' ', '%20')) // as in modules that Vite's runner loads
    expect(toLoadProblem(error, { root: folder, file: folder, route: 'x' })).toMatchObject(located)
  })

  it('uses the last location in the message', () => {
    const error = new TypeError('GET /api/a is defined twice: at agent.ts:1:1 and at agent.ts:2:7')
    error.stack = ''
    expect(toLoadProblem(error, { root, file, route: 'x' })).toMatchObject({
      file: 'agent.ts',
      place: { line: 2, column: 7 },
    })
  })

  it('reads the location in another package of the workspace', () => {
    const workspace = join(temporaryFolder('problem').path, 'my work')
    const shared = join(workspace, 'packages/shared/index.ts')
    mkdirSync(join(workspace, 'packages/shared'), { recursive: true })
    writeFileSync(shared, "import 'zodd'\n")
    writeFileSync(join(workspace, 'package.json'), '{ "workspaces": ["apps/*", "packages/*"] }')
    mkdirSync(join(workspace, 'apps/web'), { recursive: true })
    const own = join(workspace, 'apps/web/index.ts')
    const options = { root: join(workspace, 'apps/web'), file: own, route: 'x' }
    const thrown = new Error(`Cannot find module 'zodd' imported from '${shared}'`)
    thrown.stack = `Error: ${thrown.message}\n    at run (/x/node_modules/vite/runner.js:1:1)\n    at ${shared.replace(' ', '%20')}:1:1`
    expect(toLoadProblem(thrown, options)).toMatchObject({
      file: '../../packages/shared/index.ts',
      place: { line: 1, column: 1 },
      frame: expect.stringContaining("> 1 | import 'zodd'"),
    })
    thrown.stack += `\n    at ${own}:2:1`
    expect(toLoadProblem(thrown, options)).toMatchObject({ file: 'index.ts' })
  })

  it('uses the loaded file if the error has no location', () => {
    expect(toLoadProblem('what?', { root, file, route: 'x' })).toMatchObject({
      message: 'what?',
      file: 'agent.ts',
      place: null,
      frame: '',
    })
  })

  it.each([
    [`Failed to load url ./b.ts (resolved id: ./b.ts) in ${file}. Does the file exist?`, 'file not found: ./b.ts'],
    [`Cannot find module 'zod' imported from '${file}'`, 'the package zod is not installed: npm install zod'],
  ])('shortens %j', (message, expected) => {
    expect(toLoadProblem(new Error(message), { root, file, route: 'x' }).message).toBe(expected)
  })
})

it('recommends an installation of all packages if the missing one is in package.json', () => {
  const { path, remove } = temporaryFolder('problem')
  writeFileSync(join(path, 'package.json'), '{ "dependencies": { "ai": "7" } }')
  const message = (name: string): string =>
    toLoadProblem(new Error(`Cannot find module '${name}' imported from '/x.ts'`), {
      root: path,
      file: path,
      route: '/',
    }).message
  expect(message('ai/mcp')).toBe('the package ai is in package.json, but is not installed: npm install')
  expect(message('toString')).toBe('the package toString is not installed: npm install toString')
  remove()
})

it.each([
  [undefined, 'the package @a/b is incomplete: npm install'],
  ['{ "types": "b.d.ts" }', 'the package @a/b has no code to import'],
  ['{ "main": "b.js" }', 'the package @a/b was not yet installed when Node first resolved it: restart sdk dev'],
])('describes a package with the package.json %s that Node does not find', (manifest, expected) => {
  const { path, remove } = temporaryFolder('problem')
  const folder = join(path, 'node_modules/@a/b')
  mkdirSync(folder, { recursive: true })
  if (manifest !== undefined) writeFileSync(join(folder, 'package.json'), manifest)
  const thrown = new Error(`Cannot find package '${folder}/index.js' imported from /x.mjs`)
  expect(toLoadProblem(thrown, { root: path, file: path, route: '/' }).message).toBe(expected)
  remove()
})

describe('printProblem', () => {
  it('prints the message, the location and the code frame', () => {
    const problem = { route: 'x', message: 'no', file: 'a.ts', place: { line: 2, column: 1 }, frame: '> 2 | b' }
    expect(printProblem(problem, createTerminalStyle(false))).toEqual(['✗ a.ts:2:1', '  no', '  > 2 | b'])
  })
})
