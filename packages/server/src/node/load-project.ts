import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isAgent, type Agent } from '../define/agent.ts'
import { createRouter, isRouter, type Router } from '../define/router.ts'
import { findSources } from './project-sources.ts'

/** Loads a project's agents and router. */
export async function loadProject(folder: string): Promise<{ agents: readonly Agent[]; router: Router }> {
  const { agents, api } = findSources(resolve(folder))
  if (agents.length === 0 && api === null)
    throw new TypeError(`found neither src/agent/<name>/index.ts nor src/api/index.ts in ${resolve(folder)}`)
  return {
    agents: await Promise.all(agents.map(async ({ file }) => assertAgentExport(await loadDefault(file), file))),
    router: api === null ? createRouter() : assertRouterExport(await loadDefault(api), api),
  }
}

async function loadDefault(file: string): Promise<unknown> {
  try {
    return ((await import(/* @vite-ignore */ pathToFileURL(file).href)) as { default?: unknown }).default
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw cause
    throw new TypeError(
      `Node cannot load ${file}: run the tests with tsx, or set test.server.deps.inline: ['@sdk/server'] in vitest.config.ts`,
      { cause },
    )
  }
}

function assertAgentExport(value: unknown, file: string): Agent {
  if (isAgent(value)) return value
  throw new TypeError(`the default export of ${file} is not an agent: export default createAgent(name, { handler })`)
}

function assertRouterExport(value: unknown, file: string): Router {
  if (isRouter(value)) return value
  throw new TypeError(`the default export of ${file} is not a router: export default createRouter()`)
}
