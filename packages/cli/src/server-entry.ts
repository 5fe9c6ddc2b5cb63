import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import type { Project } from './discover.ts'

/** The module that a built server begins with. */
export const SERVER_ENTRY = 'virtual:sdk-server'

/** Gives the bundler the entry of a project's server. */
export function serverEntryPlugin(project: Project): Plugin {
  return {
    name: 'sdk:server-entry',
    resolveId: (id) => (id === SERVER_ENTRY ? `\0${SERVER_ENTRY}` : undefined),
    load: (id) => (id === `\0${SERVER_ENTRY}` ? toServerEntry(project) : undefined),
  }
}

/** The source of the entry: imports every part and runs them. */
export function toServerEntry({ agents, api, web }: Project): string {
  const production = fileURLToPath(new URL(`./production${extname(import.meta.url)}`, import.meta.url))
  const imports = [
    `import { runBuilt } from ${JSON.stringify(production)}`,
    ...agents.map(({ file }, index) => `import agent${index} from ${JSON.stringify(file)}`),
    api === null ? 'const router = null' : `import router from ${JSON.stringify(api)}`,
  ]
  const names = agents.map((_, index) => `agent${index}`).join(', ')
  return `${imports.join('\n')}
await runBuilt({ agents: [${names}], router, base: import.meta.url, hasWeb: ${web !== null} })
`
}
