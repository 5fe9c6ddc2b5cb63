import type { InspectedLiveList } from '../../api.ts'

/** Returns the parts of a request that its route does not contain: the parameters of the path, and the query. */
export function toTargetText(route: string, target: string): string {
  const [path = '', search = ''] = target.split('?')
  const query = Array.from(new URLSearchParams(search), ([name, value]) => `${name}=${value}`)
  const isPlain = route.endsWith(` ${path}`)
  return [...(isPlain ? [] : [decodeURI(path)]), ...query].join('  ')
}

/** Returns the conditions of an access rule, such as `ownerId = "ada"`. */
export function toAccessText(where: InspectedLiveList['where']): string {
  if (where === null) return 'separate for each subscriber'
  const conditions = Object.entries(where).map(([field, value]) =>
    typeof value === 'object' && value !== null
      ? `${field} in (${value.map((one) => JSON.stringify(one)).join(', ')})`
      : `${field} = ${JSON.stringify(value)}`,
  )
  return conditions.length === 0 ? 'all' : conditions.join(' and ')
}
