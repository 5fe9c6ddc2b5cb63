import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readBlocks, type Block } from './block.ts'

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** A page of the documentation. */
export interface Page {
  /** The path from the root of the repository, such as `docs/guide/agents.md`. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
  /** The page whose files this one starts with: `<!-- project: docs/guide/first-app.md -->`. */
  readonly base: string | undefined
}

/** Reads a page by its path from the root of the repository. */
export function readPage(path: string): Page {
  return toPage(path, readFileSync(join(ROOT, path), 'utf8'))
}

/** Parses the text of a page. */
export function toPage(path: string, text: string): Page {
  return { path, text, blocks: readBlocks(text), base: /^<!-- project: (\S+) -->$/m.exec(text)?.[1] }
}

/** Returns the pages whose code is tested. */
export function findPages(): string[] {
  return [
    'README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    ...markdownBelow('docs'),
    ...['packages', 'examples'].flatMap((folder) => foldersOf(folder).map((name) => `${folder}/${name}/README.md`)),
  ].filter((path) => existsSync(join(ROOT, path)))
}

/** Returns these and all other pages for people. */
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
