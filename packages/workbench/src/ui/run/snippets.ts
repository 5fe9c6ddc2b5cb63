/** A way to call a route from code. */
export interface Snippet {
  readonly title: string
  readonly code: string
}

/** How a route is called: from React, and from a terminal. */
export function snippetsOf(route: string, input: string, origin: string = location.origin): Snippet[] {
  if (!route.includes(' ')) {
    return [{ title: 'React', code: `const { isConnected, send, messages } = useWebsocket('${route}')` }]
  }
  const [method = 'GET', path = '/'] = route.split(' ')
  const url = `${origin}${path}`
  if (method === 'GET') {
    return [
      { title: 'React', code: `const { data, isLoading, error, refetch } = useAPI('${route}')` },
      { title: 'curl', code: `curl ${url}` },
    ]
  }
  const hasBody = method !== 'DELETE'
  const body = ` -H 'content-type: application/json' -d ${quote(input)}`
  return [
    {
      title: 'React',
      code: `const { data, invoke, isLoading, error } = useAPI('${route}')\n\nawait invoke(${hasBody ? input : ''})`,
    },
    { title: 'curl', code: `curl -N -X ${method} ${url}${hasBody ? body : ''}` },
  ]
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
