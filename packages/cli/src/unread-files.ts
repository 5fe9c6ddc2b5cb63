import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Log } from '@sdk/server'
import { pathExists } from '@sdk/server/node'

/** A file or folder of a project that looks like a part of the app, but is in a place that is not read. */
export interface UnreadFile {
  /** The path, relative to the project. */
  readonly place: string
  readonly message: string
  readonly fix: string
}

/** Finds agents and routers that are not read because of the names of their files or folders. */
export function findUnreadFiles(root: string): UnreadFile[] {
  return [...findRenamedFolders(root), ...findUnreadAgents(root), ...findUnreadRouter(root)]
}

/** Creates a function that logs a warning for each unread file, once. */
export function createUnreadFilesWarner(root: string, log: Pick<Log, 'warn'>): () => void {
  const known = new Set<string>()
  return () => {
    for (const { place, message, fix } of findUnreadFiles(root)) {
      if (!known.has(place)) log.warn(`${message}: ${fix}`)
      known.add(place)
    }
  }
}

/** The names of folders that are easily confused with those that are read. */
const CONFUSED = {
  'src/agents': 'src/agent',
  agent: 'src/agent',
  agents: 'src/agent',
  'src/routes': 'src/api',
} as const

function findRenamedFolders(root: string): UnreadFile[] {
  return Object.entries(CONFUSED).flatMap(([place, folder]) => {
    const files = [place, ...foldersIn(join(root, place)).map((name) => `${place}/${name}`)]
    const isPart = files.some((each) => sourcesIn(join(root, each)).some((file) => defines(join(root, each, file))))
    const message = `${place} is not read`
    return isPart && !pathExists(join(root, folder)) ? [{ place, message, fix: `rename it to ${folder}` }] : []
  })
}

function findUnreadAgents(root: string): UnreadFile[] {
  const folder = join(root, 'src/agent')
  const direct = sourcesIn(folder).map((file) => ({
    place: `src/agent/${file}`,
    name: file.slice(0, -extname(file).length),
  }))
  const nested = foldersIn(folder)
    .filter((name) => !['index.ts', 'agent.ts'].some((file) => pathExists(join(folder, name, file))))
    .flatMap((name) => sourcesIn(join(folder, name)).map((file) => ({ place: `src/agent/${name}/${file}`, name })))
  return [...direct, ...nested]
    .filter(({ place }) => defines(join(root, place)))
    .map(({ place, name }) => ({
      place,
      message: `${place} is not read, so its agent cannot be called`,
      fix: `move it to src/agent/${name}/agent.ts`,
    }))
}

function findUnreadRouter(root: string): UnreadFile[] {
  const folder = join(root, 'src/api')
  if (pathExists(join(folder, 'index.ts'))) return []
  const files = [...sourcesIn(folder).map((file) => `src/api/${file}`), 'src/api.ts']
  const place = files.find((file) => pathExists(join(root, file)) && defines(join(root, file)))
  const message = `${place} is not read, since src/api has no index.ts`
  return place === undefined ? [] : [{ place, message, fix: 'export the router from src/api/index.ts' }]
}

/** Returns whether a file defines an agent or a router. */
function defines(file: string): boolean {
  try {
    return /\bcreate(?:Agent|Router)\s*[(<]/.test(readFileSync(file, 'utf8'))
  } catch {
    return false // the file was deleted in the meantime, or cannot be read
  }
}

function sourcesIn(folder: string): string[] {
  return entriesIn(folder).flatMap((entry) =>
    entry.isFile() && /(?<!\.d|\.test)\.[cm]?[jt]sx?$/.test(entry.name) ? [entry.name] : [],
  )
}

function foldersIn(folder: string): string[] {
  return entriesIn(folder).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // the folder does not exist, or cannot be read
  }
}
