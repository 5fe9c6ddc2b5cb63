/** The paths of all pages. They do not include the workbench's base path, which the router adds. */
export const links = {
  home: '/',
  runs: '/runs',
  matrix: '/matrix',
  users: '/users',
  errors: '/errors',
  live: '/live',
  settings: '/settings',
  tools: '/tools',
  tool: (server: string, name: string): string =>
    `/tools?server=${encodeURIComponent(server)}&tool=${encodeURIComponent(name)}`,
  routes: '/routes',
  agent: (name: string, run?: string): string => `/agents/${name}${run === undefined ? '' : `?run=${run}`}`,
  route: (route: string): string => `/routes?route=${encodeURIComponent(route)}`,
  socket: (path: string): string => path,
  run: (id: string): string => `/runs/${id}`,
  durableRuns: '/runs/durable',
  durableRun: (id: string): string => `/runs/durable/${id}`,
  durableThread: (thread: string): string => `/runs/durable?thread=${encodeURIComponent(thread)}`,
  /** Returns the link for comparing two runs. A run that is omitted can be chosen on the page. */
  compare: (...[a, b]: string[]): string =>
    `/compare${a === undefined ? '' : `?a=${a}`}${b === undefined ? '' : `&b=${b}`}`,
} as const

/** Returns the link to a route's page, for any kind of route. */
export function linkTo({ route, kind }: { route: string; kind: string }): string {
  if (kind === 'agent') return links.agent(route.replace(/^POST \/agent\//, ''))
  return kind === 'socket' ? links.socket(route) : links.route(route)
}
