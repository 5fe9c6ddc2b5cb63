import { isAgent, isRouter, type Agent, type FormatError, type Router } from '@sdk/server'
import type { AgentSource } from '@sdk/server/node'

/** The exports of a module. */
export interface ModuleExports {
  readonly default?: unknown
}

/** Returns the agent that a module exports. Throws if it is missing or if its name differs from the folder's name. */
export function getAgentExport(exported: ModuleExports, { name, file }: AgentSource): Agent {
  const value = exported.default
  if (!isAgent(value)) {
    throw new TypeError(
      `${describeMismatch(exported, 'an agent')}: write export default createAgent('${name}', { handler })${reexportHint(file)}`,
    )
  }
  if (value.name !== name) {
    throw new TypeError(
      `the folder is named "${name}" and its agent "${value.name}": use the same name for both, since the agent is called as POST /agent/${name}`,
    )
  }
  return value
}

/** Returns the router that a module exports. Throws if it is missing. */
export function getRouterExport(exported: ModuleExports): Router {
  if (isRouter(exported.default)) return exported.default
  throw new TypeError(`${describeMismatch(exported, 'a router')}: write export default createRouter().on(…)`)
}

/** Returns the `formatError` function that a module exports. Throws if it is missing. */
export function getFormatErrorExport(exported: ModuleExports): FormatError {
  if (typeof exported.default === 'function') return exported.default as FormatError
  const fix = 'write export default (error, ctx) => ({ status: error.status, body })'
  throw new TypeError(`${describeMismatch(exported, 'a function')}: ${fix}`)
}

function describeMismatch(exported: ModuleExports, expected: string): string {
  if (exported.default !== undefined)
    return `the default export must be ${expected}, got ${describeType(exported.default)}`
  const names = Object.keys(exported)
  return `the default export is missing${names.length === 0 ? '' : ` (the file only exports ${names.join(', ')})`}`
}

function describeType(value: unknown): string {
  if (value === null) return 'null'
  const type = Array.isArray(value) ? 'array' : isAgent(value) ? 'agent' : isRouter(value) ? 'router' : typeof value
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** Returns a hint that an `index.ts` can also re-export the agent from another file. */
function reexportHint(file: string): string {
  return file.endsWith('index.ts') ? ", or export { default } from './agent.ts'" : ''
}
