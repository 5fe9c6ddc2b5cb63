import type { Manifest } from '../../manifest.ts'
import type { RunSummary } from '../../run.ts'
import { linkTo, links } from '../links.ts'

/** The state from which the checklist is computed. */
export interface ChecklistInput {
  readonly routes: Manifest['routes']
  readonly runs: readonly RunSummary[]
  readonly hasAuth: boolean
  /** Whether calls are made as a user. */
  readonly isUser: boolean
  /** The names of steps that were completed earlier. Their runs may have been deleted. */
  readonly done: readonly string[]
}

/**
 * Returns a link to a route that is easy to call, preferably a GET route without parameters that is not part of a
 * resource.
 */
function callOf(routes: Manifest['routes']): string | undefined {
  const calls = routes.filter(({ kind }) => kind === 'route' || kind === 'resource')
  const isPlain = ({ route }: Manifest['routes'][number]): boolean => /^GET [^:*]+$/.test(route)
  const info =
    calls.find((one) => one.kind === 'route' && isPlain(one)) ??
    calls.find(isPlain) ??
    calls.find(({ route }) => !route.startsWith('DELETE '))
  return info === undefined ? undefined : linkTo(info)
}

/** Returns the steps that apply to this project. A step is done once the project has a matching run. */
export function stepsOf({ routes, runs, hasAuth, isUser, done }: ChecklistInput) {
  const first = (kind: RunSummary['kind'] | 'resource'): string | undefined => {
    const info = routes.find((route) => route.kind === kind)
    return info === undefined ? undefined : linkTo(info)
  }
  const agent = first('agent')
  const api = callOf(routes)
  const did = (test: (run: RunSummary) => boolean): boolean => runs.some(test)
  const all = [
    { name: 'agent', title: 'Run an agent', href: agent, isDone: did(({ kind }) => kind === 'agent') },
    { name: 'api', title: 'Call your API', href: api, isDone: did(({ kind }) => kind === 'route') },
    { name: 'socket', title: 'Open a socket', href: first('socket'), isDone: did(({ kind }) => kind === 'socket') },
    {
      name: 'user',
      title: 'Sign in as a test user',
      href: hasAuth ? links.users : undefined,
      isDone: isUser || did(({ identity }) => identity !== null),
    },
    // Tests run in a separate process and are not recorded, so copying the test in the Code tab completes this step.
    { name: 'test', title: 'Copy a test from an agent’s Code tab', href: agent, isDone: false },
  ]
  return all.flatMap(({ href, isDone, ...step }) =>
    href === undefined ? [] : [{ ...step, href, isDone: isDone || done.includes(step.name) }],
  )
}
