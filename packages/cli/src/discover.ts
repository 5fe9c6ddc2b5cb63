import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findSources, pathExists, type ProjectSources } from '@sdk/server/node'
import { Failure } from './failure.ts'
import { readManifest } from './manifest.ts'
import { findUnreadFiles } from './unread-files.ts'

/** The parts of a project, as found in its folders. All paths are absolute. */
export interface Project extends ProjectSources {
  readonly root: string
  readonly web: WebSource | null
}

/** The entry point of the web app. */
export interface WebSource {
  readonly folder: string
  /** The path of `index.html`, or null for the default page, which loads `index.tsx`. */
  readonly html: string | null
}

/** Finds the parts of a project: `src/agent/<name>`, `src/api` and `src/web`. */
export function discover(root: string): Project {
  return { root, ...findSources(root), web: findWeb(join(root, 'src/web')) }
}

/** Returns the project that contains a folder. Throws if there is no project or if it is empty. */
export function findProject(from: string): Project {
  const project = discover(findRoot(from))
  if (!isEmpty(project)) {
    assertLoadable(project.root)
    return project
  }
  assertNoProjectInside(project.root)
  const [unread] = findUnreadFiles(project.root)
  throw new Failure(`nothing to run in ${project.root}${unread === undefined ? '' : `: ${unread.message}`}`, {
    code: 'NOTHING_TO_RUN',
    fix:
      unread?.fix ??
      'add an agent with sdk add agent hello, an API in src/api/index.ts or a web app in src/web/index.tsx; or create a project: npm create @sdk my-app',
  })
}

/** Returns the root of a project to which files will be added, and which may be empty. */
export function findRootToExtend(from: string): string {
  const root = findRoot(from)
  if (isEmpty(discover(root))) assertNoProjectInside(root)
  return root
}

function isEmpty({ agents, api, web }: Project): boolean {
  return agents.length === 0 && api === null && web === null
}

function assertNoProjectInside(root: string): void {
  const [inside] = findProjectsInside(root)
  if (inside === undefined) return
  throw new Failure(`there is no project in ${root}, but in one of its folders`, {
    code: 'NOTHING_TO_RUN',
    fix: `change to the folder of the project: cd ${inside}`,
  })
}

/** Returns the paths of projects in a workspace, such as `apps/web`. */
function findProjectsInside(root: string): string[] {
  const tops = foldersIn(root)
  const all = [...tops, ...tops.flatMap((top) => foldersIn(join(root, top)).map((name) => join(top, name)))]
  return all.filter((path) => existsSync(join(root, path, 'package.json')) && !isEmpty(discover(join(root, path))))
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .toSorted()
  } catch {
    return [] // the user may not read the folder
  }
}

/** Throws if the path of a project contains a character that Vite cannot distinguish from the end of a file path. */
export function assertLoadable(root: string): void {
  const [character] = /[#?]/.exec(root) ?? []
  if (character === undefined) return
  throw new Failure(
    `the path of the project contains ${JSON.stringify(character)}, so Vite cannot load its files: ${root}`,
    {
      code: 'INVALID_PATH',
      fix: `rename the folder, or move the project to a path without ${JSON.stringify(character)}`,
    },
  )
}

/** Returns the nearest folder with a `package.json`, starting at `from` and going up. Throws if there is none. */
export function findRoot(from: string): string {
  const root = searchRoot(from)
  if (root !== null) {
    readManifest(root) // throws a clear error if the file is invalid
    return root
  }
  throw new Failure(`no package.json found in ${from} or its parent folders`, {
    code: 'NO_PROJECT',
    fix: 'change to your project folder, or create a project: npm create @sdk my-app',
  })
}

/** Returns the nearest folder with a `package.json`, starting at `from` and going up, or null if there is none. */
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
