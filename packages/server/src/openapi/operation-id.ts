import { isUpsert } from '../define/resource-facet.ts'
import type { EndpointInfo } from './endpoint-info.ts'
import { capitalize, toSingular } from './resource-noun.ts'

/** Returns a unique operation id for each endpoint: `callSummarize`, `listTasks`, `getApiReportsById`. */
export function toOperationIds(endpoints: readonly EndpointInfo[]): Map<EndpointInfo, string> {
  const ids = new Map<EndpointInfo, string>()
  const taken = new Set<string>()
  for (const endpoint of endpoints) {
    const name = toOperationId(endpoint)
    let id = name
    // Without a number, `/a-b` and `/a/b` would have the same id.
    for (let count = 2; taken.has(id); count++) id = `${name}${count}`
    taken.add(id)
    ids.set(endpoint, id)
  }
  return ids
}

function toOperationId({ kind, method, path, resource: facet }: EndpointInfo): string {
  if (facet !== undefined) {
    const { action, resource, key } = facet
    const noun = capitalize(action === 'list' ? resource.name : toSingular(resource.name))
    if (key === null) return action + noun
    const [, name = ''] = key.path.split('/')
    return (isUpsert(facet) ? 'put' : action) + noun + name.split('-').map(capitalize).join('')
  }
  const words = path
    .replace(/^\/agent\//, kind === 'agent' ? '' : '/agent/')
    .replaceAll(':', 'by-')
    .split(/[^A-Za-z0-9]+/)
  const name = words.map(capitalize).join('')
  return `${kind === 'agent' ? 'call' : method.toLowerCase()}${name || 'Root'}`
}
