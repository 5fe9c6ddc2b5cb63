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

/** The entry of the web app. */
export interface WebSource {
  readonly folder: string
  /** The page; null for the default page, which loads `index.tsx`. */
  readonly html: string | null
}

/** Finds `src/agent/<name>`, `src/api` and `src/web`. */
export function discover(root: string): Project {
  return { root, ...findSources(root), web: findWeb(join(root, 'src/web')) }
}

/** Returns the project of a folder; throws if it is missing or empty. */
export function findProject(from: string): Project {
  const project = discover(findRoot(from))
  if (project.agents.length > 0 || project.api !== null || project.web !== null) return project
  throw new Failure(`nothing to run in ${project.root}`, {
    code: 'NOTHING_TO_RUN',
    fix: 'add an agent with sdk add agent hello, an API in src/api/index.ts or a web app in src/web/index.tsx; or create a project: npm create @sdk my-app',
  })
}

/** Returns the nearest folder upwards with a `package.json`; throws if not found. */
export function findRoot(from: string): string {
  const root = searchRoot(from)
  if (root !== null) {
    readManifest(root) // fails here with a clear message if it is invalid
    return root
  }
  throw new Failure(`no package.json found in ${from} or its parent folders`, {
    code: 'NO_PROJECT',
    fix: 'change to your project folder, or create a project: npm create @sdk my-app',
  })
}

/** Returns the nearest folder upwards with a `package.json`, or null. */
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
