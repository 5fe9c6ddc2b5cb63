import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findSources, pathExists, type ProjectSources } from '@sdk/server/node'
import { Failure } from './failure.ts'
import { readManifest } from './manifest.ts'

/** The parts of a project, read from its folders. All paths are absolute. */
export interface Project extends ProjectSources {
  readonly root: string
  readonly web: WebSource | null
}

/** Where the web app begins. */
export interface WebSource {
  readonly folder: string
  /** The page; null where the default one loads `index.tsx`. */
  readonly html: string | null
}

/** Finds `src/agent/<name>`, `src/api` and `src/web`. */
export function discover(root: string): Project {
  return { root, ...findSources(root), web: findWeb(join(root, 'src/web')) }
}

/** The project of a folder, or the reason why there is none. */
export function findProject(from: string): Project {
  const project = discover(findRoot(from))
  if (project.agents.length > 0 || project.api !== null || project.web !== null) return project
  throw new Failure(`there is nothing to run in ${project.root}`, {
    code: 'NOTHING_TO_RUN',
    fix: 'sdk add agent hello writes an agent; an API is in src/api/index.ts and a web app in src/web/index.tsx. Or make a project: npm create @sdk my-app',
  })
}

/** The nearest folder upwards that has a `package.json`. */
export function findRoot(from: string): string {
  const root = searchRoot(from)
  if (root !== null) {
    readManifest(root) // fails here with a clear message where it is invalid
    return root
  }
  throw new Failure(`there is no package.json in ${from} or above`, {
    code: 'NO_PROJECT',
    fix: 'go to your project, or make one: npm create @sdk my-app',
  })
}

/** The same; null where there is none. */
export function searchRoot(from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (folder === dirname(folder)) return null
  }
}

function findWeb(folder: string): WebSource | null {
  const html = join(folder, 'index.html')
  if (pathExists(html)) return { folder, html }
  return pathExists(join(folder, 'index.tsx')) ? { folder, html: null } : null
}
