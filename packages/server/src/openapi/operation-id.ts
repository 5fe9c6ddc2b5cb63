import type { EndpointInfo } from './endpoint-info.ts'
import { capitalize, toSingular } from './resource-noun.ts'

/** A name for each endpoint, unique in the document: `callSummarize`, `listTasks`, `getApiReportsById`. */
export function toOperationIds(endpoints: readonly EndpointInfo[]): Map<EndpointInfo, string> {
  const taken = new Set<string>()
  return new Map(
    endpoints.map((endpoint) => {
      const id = unused(toOperationId(endpoint), taken)
      taken.add(id)
      return [endpoint, id]
    }),
  )
}

function toOperationId({ kind, method, path, resource: facet }: EndpointInfo): string {
  if (facet !== undefined) {
    const { action, resource } = facet
    return action + capitalize(action === 'list' ? resource.name : toSingular(resource.name))
  }
  const words = path
    .replace(/^\/agent\//, kind === 'agent' ? '' : '/agent/')
    .replaceAll(':', 'by-')
    .split(/[^A-Za-z0-9]+/)
  const name = words.map(capitalize).join('')
  return `${kind === 'agent' ? 'call' : method.toLowerCase()}${name || 'Root'}`
}

/** `/a-b` and `/a/b` would have one name. */
function unused(name: string, taken: ReadonlySet<string>): string {
  let count = 1
  while (taken.has(count === 1 ? name : `${name}${count}`)) count++
  return count === 1 ? name : `${name}${count}`
}
