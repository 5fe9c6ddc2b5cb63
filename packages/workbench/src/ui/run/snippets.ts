import type { CallInput } from '../input/call-input.ts'

/** A way to call a route from code. */
export interface Snippet {
  readonly title: string
  readonly code: string
}

/** How a route is called: from React, and from a terminal. */
export function snippetsOf(route: string, input: CallInput, origin: string = location.origin): Snippet[] {
  if (!route.includes(' ')) {
    return [{ title: 'React', code: `const { isConnected, send, messages } = useWebsocket('${route}')` }]
  }
  const [method = 'GET', path = '/'] = route.split(' ')
  return [{ title: 'curl', code: `curl -N -X ${method} ${origin}${path} -d '${input.body}'` }]
}
