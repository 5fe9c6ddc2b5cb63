import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { discover, type Project, toRouteTypes } from '@sdk/cli'
import { createApp, createLog, createRouter, type Agent, type Router } from '@sdk/server'

/** Writes `src/sdk-routes.d.ts` as `sdk types` does, if a project has agents or an API. */
export async function writeRouteTypes(folder: string): Promise<void> {
  const project = discover(folder)
  if (project.agents.length === 0 && project.api === null) return
  const { agents, router } = await loadModules(project)
  const app = createApp({ agents, router, log: createLog({ level: 'silent' }) })
  writeFileSync(join(folder, 'src/sdk-routes.d.ts'), toRouteTypes({ project, routes: app.routes, pointers: new Map() }))
  await app.close()
}

/** Loads the project in the phase of `sdk types`, in which no database is opened. */
async function loadModules({ agents, api }: Project): Promise<{ agents: Agent[]; router: Router }> {
  process.env['SDK_PHASE'] = 'inspect'
  try {
    return {
      agents: await Promise.all(agents.map(async ({ file }) => loadDefault<Agent>(file))),
      router: api === null ? createRouter() : await loadDefault<Router>(api),
    }
  } finally {
    delete process.env['SDK_PHASE']
  }
}

async function loadDefault<T>(file: string): Promise<T> {
  const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { default: T }
  return module.default
}
