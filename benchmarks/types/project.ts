import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The sources of a project, before they are written. */
export interface Sources {
  /** Text by path, relative to the project's folder. */
  readonly files: Readonly<Record<string, string>>
  /** Whether `sdk types` writes its route types. */
  readonly hasPointers?: boolean
  /** The server file that the editor changes: the one with the middle route. */
  readonly edited: string
}

/** A project on disk. */
export interface Project extends Sources {
  readonly folder: string
}

/** The path of the client's calls, in every project. */
export const CLIENT = 'src/web/client.ts'

/** The server code of a peer, and the code of a call. */
export interface Peer {
  readonly title: string
  readonly sources: (count: number) => Sources
}

/** The routes that the client calls: ten, evenly spread. The editor checks the middle one. */
export function called(count: number): number[] {
  return Array.from({ length: 10 }, (_, index) => Math.floor((index * count) / 10))
}

/** The middle route, which is one of the called routes. */
export function middleRoute(count: number): number {
  return Math.floor((5 * count) / 10)
}

/** The two schemas of a route: the same in all projects, with a different type for each route. */
export function schemas(route: number): string {
  return `export const input${route} = z.object({
  id: z.string().min(1),
  amount: z.number().int().min(0),
  kind: z.enum(['kind${route}', 'plain', 'other']),
  tags: z.array(z.string().max(20)).optional(),
  at: z.object({ line: z.number(), column: z.number() }),
})
export const output${route} = z.object({
  id: z.string(),
  total${route}: z.number(),
  items: z.array(z.object({ name: z.string(), value: z.number(), note: z.string().nullable() })),
  next: z.string().optional(),
})
`
}

/** The result of every handler. */
export function answer(route: number): string {
  return `{ id: input.id, total${route}: input.amount, items: [{ name: input.kind, value: input.at.line, note: null }] }`
}

/** The body of every call. */
export const INPUT = `{ id: 'a', amount: 1, kind: 'plain', at: { line: 1, column: 2 } }`

/** The client's file: one function per call, which reads two members of the result. */
export function client(count: number, text: { head: string; call: (route: number) => string }): string {
  const uses = called(count).map(
    (route) => `
export async function use${route}() {
  const result${route} = ${text.call(route)}
  const total: number = result${route}.total${route}
  return { total, id: result${route}.id }
}
`,
  )
  return `${text.head}\n${uses.join('')}`
}

/** The numbers of the routes in each file. */
export function groups(count: number, perFile = 10): number[][] {
  return Array.from({ length: count / perFile }, (_, group) =>
    Array.from({ length: perFile }, (__, index) => group * perFile + index),
  )
}

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'preserve',
    moduleResolution: 'bundler',
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['src'],
}

/** Writes a project, with the benchmark libraries and our built packages below it. */
export function write(folder: string, sources: Sources): Project {
  const files = {
    'package.json': '{ "type": "module", "private": true }',
    'tsconfig.json': JSON.stringify(TSCONFIG),
    ...sources.files,
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  link(folder)
  if (sources.hasPointers === true) {
    const sdk = join(import.meta.dirname, '../../packages/cli/bin/sdk.js')
    execFileSync(process.execPath, [sdk, 'types'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  return { ...sources, folder }
}

function link(folder: string): void {
  const peers = join(import.meta.dirname, '../node_modules')
  const ours = join(import.meta.dirname, '../../node_modules/@sdk')
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(peers)) {
    if (!name.startsWith('.')) symlinkSync(join(peers, name), join(folder, 'node_modules', name))
  }
  symlinkSync(ours, join(folder, 'node_modules/@sdk'))
}
