import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readBlocks, type Block } from './block.ts'

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** A page of the documentation. */
export interface Page {
  /** From the root of the repository, as `docs/guide/agents.md`. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
  /** The page with whose files this one begins: `<!-- project: docs/guide/first-app.md -->`. */
  readonly base: string | undefined
}

/** Reads a page by its path from the root of the repository. */
export function readPage(path: string): Page {
  return toPage(path, readFileSync(join(ROOT, path), 'utf8'))
}

/** A page of this text. */
export function toPage(path: string, text: string): Page {
  return { path, text, blocks: readBlocks(text), base: /^<!-- project: (\S+) -->$/m.exec(text)?.[1] }
}

/** The pages whose code is tested. */
export function findPages(): string[] {
  return [
    'README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    ...markdownBelow('docs'),
    ...['packages', 'examples'].flatMap((folder) => foldersOf(folder).map((name) => `${folder}/${name}/README.md`)),
  ].filter((path) => existsSync(join(ROOT, path)))
}

/** Those, and what else is written for people. */
export function findAllPages(): string[] {
  return [...findPages(), 'AGENTS.md', 'CHANGELOG.md', 'benchmarks/results.md', ...markdownBelow('decisions')]
}

function markdownBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md') && !path.startsWith('docs/dist/'))
    .toSorted()
}

function foldersOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder)).toSorted()
}
