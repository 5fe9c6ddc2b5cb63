import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The project modules that the server runs. All paths are absolute. */
export interface ProjectSources {
  readonly agents: readonly AgentSource[]
  /** The module whose default export is the router. */
  readonly api: string | null
}

/** An agent's module. */
export interface AgentSource {
  /** The name of the agent and its folder. */
  readonly name: string
  readonly file: string
}

/** Finds `src/agent/<name>` and `src/api` in a project. Throws if a folder cannot be read. */
export function findSources(root: string): ProjectSources {
  const api = join(root, 'src/api/index.ts')
  return { agents: findAgents(join(root, 'src/agent')), api: pathExists(api) ? api : null }
}

function findAgents(folder: string): AgentSource[] {
  if (!pathExists(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const file = ['index.ts', 'agent.ts'].map((base) => join(folder, name, base)).find(pathExists)
      return file === undefined ? [] : [{ name, file }] // a folder of shared code is not an agent
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns whether a file or folder exists. Throws if access is denied, rather than reporting it as missing. */
export function pathExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
