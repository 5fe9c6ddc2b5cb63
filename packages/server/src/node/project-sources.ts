import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The modules of a project that the server runs. All paths are absolute. */
export interface ProjectSources {
  readonly agents: readonly AgentSource[]
  /** The module whose default export is the router. */
  readonly api: string | null
}

/** Where an agent is defined. */
export interface AgentSource {
  /** The folder's name, which is the agent's. */
  readonly name: string
  readonly file: string
}

/** Finds `src/agent/<name>` and `src/api` below a project's folder; throws where it may not look. */
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
      return file === undefined ? [] : [{ name, file }] // a folder of shared code is no agent
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Is there such a file or folder? One that may not be looked at is not as good as none: that is an error. */
export function pathExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
