import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Packed } from '../../scripts/publishable.ts'

const WORKSPACE = join(import.meta.dirname, '../..')

/** The packages that a project needs in addition to ours. */
const OWN_PACKAGES = ['react', '@types/node', '@types/react']

/**
 * Unpacks the tarballs into an empty project. Each package finds only the packages in its manifest, through links to
 * the workspace. Apps that npm installs are in tests/e2e/create.test.ts.
 */
export async function installPacked(folder: string, packages: readonly Packed[]): Promise<void> {
  writeJson(join(folder, 'package.json'), { name: 'consumer', private: true, type: 'module' })
  for (const name of OWN_PACKAGES) linkPackage(folder, { name, workspace: WORKSPACE })
  for (const { name, tarball, folder: workspace } of packages) {
    const path = join(folder, 'node_modules', name)
    mkdirSync(path, { recursive: true })
    const { code, output } = await run(path, 'tar', ['-xzf', tarball, '--strip-components=1'])
    if (code !== 0) throw new Error(output)
    for (const needed of neededBy(path)) linkPackage(path, { name: needed, workspace })
  }
}

/** The third-party packages that a package needs. */
function neededBy(path: string): string[] {
  const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
  return [...Object.keys(dependencies), ...peers].filter((name) => !name.startsWith('@sdk/'))
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>
}

/** Links a package as a folder of the workspace resolves it. */
function linkPackage(folder: string, { name, workspace }: { name: string; workspace: string }): void {
  const homes = [workspace, WORKSPACE].map((home) => join(home, 'node_modules', name))
  const target = homes.find((home) => existsSync(home))
  if (target === undefined) throw new Error(`${name} is not installed in the workspace`)
  const link = join(folder, 'node_modules', name)
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(target, link)
}

/** A program that only imports entries. */
export interface Program {
  readonly entries: readonly string[]
  /** The module resolution of Node, or of bundlers. */
  readonly resolution: 'nodenext' | 'bundler'
  /** `node`, or nothing for programs in a browser. */
  readonly types: readonly string[]
}

/** Writes a program and returns its tsconfig. */
export function writeProgram(folder: string, { entries, resolution, types }: Program): string {
  const name = ['consumer', resolution, entries.length, ...types].join('-')
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}'`)
  const uses = entries.map((_, index) => `entry${index}`).join(', ')
  writeFileSync(join(folder, `${name}.ts`), [...imports, `export const all: object[] = [${uses}]\n`].join('\n'))
  writeJson(join(folder, `${name}.json`), {
    compilerOptions: {
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
      module: resolution === 'bundler' ? 'esnext' : 'nodenext',
      moduleResolution: resolution,
      strict: true,
      skipLibCheck: false,
      // TypeScript's own declarations are not ours to check, and would take half of the time.
      skipDefaultLibCheck: true,
      noEmit: true,
      types,
    },
    files: [`${name}.ts`],
  })
  return join(folder, `${name}.json`)
}

/** The definitions of an app, whose inferred types a library or a project reference exports. */
const DEFINITIONS = `import { createAuth, createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { openDatabase, table } from '@sdk/database'
import { createClient } from '@sdk/frontend'
import type { Schema } from '@sdk/protocol'
import { useAPI, usePages, useWebsocket } from '@sdk/react'
import * as server from '@sdk/server'
import { testApp } from '@sdk/server/testing'

declare const schema: Schema<{ text: string; parentId: number }>
const { createAgent, createApp, createResource, createRouter, createSocket } = server
export const database = openDatabase()
export const auth = createAuth({ database, userFields: { role: { type: 'string' } } })
export const agent = createAgent('echo', { input: schema, handler: (_ctx, input) => input })
export const durable = createAgent('work', { durable: true, events: { approval: schema }, state: schema, handler: (ctx) => ctx.wait('approval') })
const computed = { size: { output: schema, load: () => [] } }
export const notes = createResource('notes', { schema, store: table('notes'), access: 'public', key: 'text', computed })
export const threads = createResource('threads', { schema, store: server.memoryStore(), access: 'public', filter: ['text'] })
export const notesWith = server.relate(notes, { parent: server.belongsTo(threads, 'parentId') })
export const threadsWith = server.relate(threads, { count: server.countOf(notes, 'parentId') })
export const chat = createSocket({ receive: schema, send: schema })
export const router = createRouter()
  .use('/api/*', createSessionMiddleware(auth))
  .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
  .on('POST /api/notes/:id', { input: schema, async *handler() { yield { at: new Date() } } })
  .resource('v1', notesWith)
  .resource('v1', threadsWith)
  .socket('/ws/chat', chat)
export const app = createApp({ agents: [agent, durable], router })
export const client = createClient()
export const test = testApp(app)
export const useNotes = () => [useAPI('GET /api/v1/notes'), useAPI('POST /agent/echo'), usePages('GET /api/v1/notes'), useWebsocket('/ws/chat')]
export const list = (ctx: server.Context) => [ctx.rows(notesWith).list(), ctx.tools({ echo: 'POST /agent/echo' })]
`

/** Writes the definitions of an app, to be compiled with `declaration`, and returns the tsconfig. */
export function writeDefinitions(folder: string): string {
  writeFileSync(join(folder, 'definitions.ts'), DEFINITIONS)
  writeJson(join(folder, 'definitions.json'), {
    compilerOptions: {
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
      module: 'nodenext',
      strict: true,
      // Other tests check the declarations of the packages.
      skipLibCheck: true,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: '.',
      outDir: 'declared',
      types: ['node'],
    },
    files: ['definitions.ts'],
  })
  return join(folder, 'definitions.json')
}

/** The compiler of the workspace. */
const TSC = join(WORKSPACE, 'node_modules/typescript/bin/tsc')

/** Compiles, and checks all declarations. Returns the errors. */
export async function compile(folder: string, tsconfig: string): Promise<string> {
  const { output } = await run(folder, process.execPath, [TSC, '-p', tsconfig])
  return output
}

/** Imports entries in a separate Node process, which must then exit by itself. */
export function importEntries(folder: string, entries: readonly string[]): Promise<{ code: number; output: string }> {
  const program = entries.map((entry) => `await import('${entry}')`).join('\n')
  return run(folder, process.execPath, ['--input-type=module', '-e', program])
}

function run(cwd: string, program: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  const { NODE_OPTIONS: _, ...env } = process.env
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd, env, timeout: 600_000 }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, output: stdout + stderr })
    })
  })
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, JSON.stringify(value, null, 2))
}
