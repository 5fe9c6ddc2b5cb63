/** The paths of pages, without the base path of the workbench, which the router adds. */
export const links = {
  home: '/',
  runs: '/runs',
  matrix: '/matrix',
  users: '/users',
  errors: '/errors',
  settings: '/settings',
  routes: '/routes',
  agent: (name: string, run?: string): string => `/agents/${name}${run === undefined ? '' : `?run=${run}`}`,
  route: (route: string): string => `/routes?route=${encodeURIComponent(route)}`,
  socket: (path: string): string => path,
  run: (id: string): string => `/runs/${id}`,
  /** Returns the link to compare two runs; missing ones can be chosen there. */
  compare: (...[a, b]: string[]): string =>
    `/compare${a === undefined ? '' : `?a=${a}`}${b === undefined ? '' : `&b=${b}`}`,
} as const

/** Returns the page of a route of any kind. */
export function linkTo({ route, kind }: { route: string; kind: string }): string {
  if (kind === 'agent') return links.agent(route.replace(/^POST \/agent\//, ''))
  return kind === 'socket' ? links.socket(route) : links.route(route)
}
