import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { discover, toRouteTypes } from '@sdk/cli'
import { createApp, createLog, createRouter, type Agent, type Router } from '@sdk/server'

/** Writes `src/sdk-routes.d.ts` as `sdk types` does, where a project has agents or an API. */
export async function writeRouteTypes(folder: string): Promise<void> {
  const project = discover(folder)
  if (project.agents.length === 0 && project.api === null) return
  process.env['DATABASE_URL'] = 'pglite://memory' // as testApp has it: nothing of a page is kept
  const agents = await Promise.all(project.agents.map(async ({ file }) => loadDefault<Agent>(file)))
  const router = project.api === null ? createRouter() : await loadDefault<Router>(project.api)
  const app = createApp({ agents, router, log: createLog({ level: 'silent' }) })
  writeFileSync(join(folder, 'src/sdk-routes.d.ts'), toRouteTypes({ project, routes: app.routes, pointers: new Map() }))
  await app.close()
}

async function loadDefault<T>(file: string): Promise<T> {
  const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { default: T }
  return module.default
}
