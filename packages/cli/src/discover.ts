import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from './failure.ts'

/** What a project consists of, read from its folders. All paths are absolute. */
export interface Project {
  readonly root: string
  readonly agents: readonly AgentSource[]
  /** The module whose default export is the router. */
  readonly api: string | null
  readonly web: WebSource | null
}

/** Where an agent is defined. */
export interface AgentSource {
  /** The folder's name, which is the agent's. */
  readonly name: string
  readonly file: string
}

/** Where the web app begins. */
export interface WebSource {
  readonly folder: string
  /** The page; null where the default one loads `index.tsx`. */
  readonly html: string | null
}

/** Finds `src/agent/<name>`, `src/api` and `src/web`. */
export function discover(root: string): Project {
  return {
    root,
    agents: findAgents(join(root, 'src/agent')),
    api: firstOf(join(root, 'src/api/index.ts')),
    web: findWeb(join(root, 'src/web')),
  }
}

/** The project of a folder, or the reason why there is none. */
export function openProject(from: string): Project {
  const project = discover(findRoot(from))
  if (project.agents.length > 0 || project.api !== null || project.web !== null) return project
  throw new Failure(`there is nothing to run in ${project.root}`, {
    fix: 'add src/agent/<name>/index.ts, src/api/index.ts or src/web/index.tsx, or make a project: npm create @sdk my-app',
  })
}

/** The nearest folder upwards that has a `package.json`. */
function findRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (folder === dirname(folder)) {
      throw new Failure(`there is no package.json in ${from} or above`, {
        fix: 'go to your project, or make one: npm create @sdk my-app',
      })
    }
  }
}

function findAgents(folder: string): AgentSource[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const file = firstOf(join(folder, name, 'index.ts'), join(folder, name, 'agent.ts'))
      return file === null ? [] : [{ name, file }] // a folder of shared code is no agent
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function findWeb(folder: string): WebSource | null {
  const html = firstOf(join(folder, 'index.html'))
  return html !== null || existsSync(join(folder, 'index.tsx')) ? { folder, html } : null
}

function firstOf(...files: string[]): string | null {
  return files.find((file) => existsSync(file)) ?? null
}
