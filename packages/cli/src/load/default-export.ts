import { isAgent, isRouter, type Agent, type Router } from '@sdk/server'
import type { AgentSource } from '@sdk/server/node'

/** The exports of a module. */
export interface ModuleExports {
  readonly default?: unknown
}

/** The agent that a module exports; throws where it exports none, or one of another name. */
export function getAgentExport(exported: ModuleExports, { name, file }: AgentSource): Agent {
  const value = exported.default
  if (!isAgent(value)) {
    throw new TypeError(
      `${describeMismatch(exported, 'an agent')}: write export default createAgent('${name}', { handler })${reexportHint(file)}`,
    )
  }
  if (value.name !== name) {
    throw new TypeError(
      `the folder is named "${name}" and its agent "${value.name}": give them one name, for an agent is called by it, as POST /agent/${name}`,
    )
  }
  return value
}

/** The router that a module exports; throws where it exports none. */
export function getRouterExport(exported: ModuleExports): Router {
  if (isRouter(exported.default)) return exported.default
  throw new TypeError(`${describeMismatch(exported, 'a router')}: write export default createRouter().on(…)`)
}

function describeMismatch(exported: ModuleExports, expected: string): string {
  if (exported.default !== undefined)
    return `the default export is ${describeType(exported.default)}, and not ${expected}`
  const names = Object.keys(exported)
  return `there is no default export${names.length === 0 ? '' : `, only ${names.join(', ')}`}`
}

function describeType(value: unknown): string {
  if (value === null) return 'null'
  const type = Array.isArray(value) ? 'array' : isAgent(value) ? 'agent' : isRouter(value) ? 'router' : typeof value
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** An `index.ts` may also re-export what another file defines. */
function reexportHint(file: string): string {
  return file.endsWith('index.ts') ? ", or export { default } from './agent.ts'" : ''
}
