import { extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import type { Project } from '../discover.ts'
import type { BuiltProject } from '../start/production.ts'

/** The id of a built server's entry module. */
export const SERVER_ENTRY = 'virtual:sdk-server'

/** The platforms that `sdk build` can build a server for. */
export const TARGETS = ['node', 'bun', 'deno', 'workers'] as const

/** A platform that `sdk build` can build a server for. */
export type Target = (typeof TARGETS)[number]

type ServerEntryOptions = Partial<Pick<BuiltProject, 'settings' | 'web'>> & { readonly target?: Target }

/** Creates a plugin that provides the entry module of a project's server. */
export function serverEntryPlugin(project: Project, options: ServerEntryOptions): Plugin {
  return {
    name: 'sdk:server-entry',
    resolveId: (id) => (id === SERVER_ENTRY ? `\0${SERVER_ENTRY}` : undefined),
    load: (id) => (id === `\0${SERVER_ENTRY}` ? toServerEntry(project, options) : undefined),
  }
}

/** Returns the source of the entry module, which imports all parts of the project and runs them. */
export function toServerEntry(
  project: Project,
  { settings = {}, web = null, target = 'node' }: ServerEntryOptions = {},
): string {
  const { agents, api } = project
  const fileOf = (name: string): string =>
    JSON.stringify(fileURLToPath(new URL(`../start/${name}${extname(import.meta.url)}`, import.meta.url)))
  const fields: Record<Exclude<keyof BuiltProject, 'serve'>, string> & { serve?: string } = {
    agents: `[${agents.map((_, index) => `agent${index}`).join(', ')}]`,
    router: api === null ? 'null' : 'router',
    base: 'import.meta.url',
    web: JSON.stringify(web),
    settings: JSON.stringify(settings),
    formatError: settings.formatError === undefined ? 'null' : 'formatError',
    ...(target === 'bun' && { serve: 'serveOnBun' }),
  }
  const built = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return [
    target === 'workers'
      ? `import { createBuiltWorker } from ${fileOf('worker')}`
      : `import { runBuilt } from ${fileOf('production')}`,
    ...(target === 'bun' ? [`import { serveOnBun } from ${fileOf('serve-on-bun')}`] : []),
    ...agents.map(({ file }, index) => `import agent${index} from ${JSON.stringify(file)}`),
    ...(api === null ? [] : [`import router from ${JSON.stringify(api)}`]),
    ...(settings.formatError === undefined
      ? []
      : [`import formatError from ${JSON.stringify(resolve(project.root, settings.formatError))}`]),
    ...(target !== 'workers'
      ? [`await runBuilt({ ${built.join(', ')} })`]
      : [
          `const { worker, Sockets } = createBuiltWorker({ ${built.join(', ')} })`,
          'export { worker as default, Sockets }',
        ]),
  ].join('\n')
}
