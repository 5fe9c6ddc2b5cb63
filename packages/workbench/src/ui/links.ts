/** Where pages are, below the path of the workbench; the router adds that. */
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
  /** Compares two runs, or those that are picked there. */
  compare: (...[a, b]: string[]): string =>
    `/compare${a === undefined ? '' : `?a=${a}`}${b === undefined ? '' : `&b=${b}`}`,
} as const

/** The page of a route, whatever its kind. */
export function linkTo({ route, kind }: { route: string; kind: string }): string {
  if (kind === 'agent') return links.agent(route.replace(/^POST \/agent\//, ''))
  return kind === 'socket' ? links.socket(route) : links.route(route)
}
