import type { CallInput } from '../../input/call-input.ts'
import { quoteString, toSource } from './to-source.ts'

/** A way to call a route from code. */
export interface Snippet {
  readonly title: string
  readonly code: string
}

/** How a component uses a route, with this input. */
export function reactSnippets(route: string, input: CallInput): Snippet[] {
  if (!route.includes(' ')) return [{ title: 'useWebsocket', code: socketCode(route, input) }]
  const isQuery = /^(?:GET|HEAD) /.test(route)
  const { params, query, headers } = input
  const options = optionsOf({ params, query, headers: Object.fromEntries(headers) })
  if (isQuery) {
    return [
      { title: 'useAPI', code: queryCode(callOf(route, options)) },
      {
        title: 'useAPI, options',
        code: queryCode(`useAPI({ ${[`route: ${quoteString(route)}`, ...options].join(', ')} })`),
      },
    ]
  }
  const payload = payloadOf(route, input, '      ')
  return [
    { title: 'useAPI', code: invokeCode(callOf(route, options), payload) },
    {
      title: 'useAPI, options',
      code: invokeCode(`useAPI({ ${[`route: ${quoteString(route)}`, ...options].join(', ')} })`, payload),
    },
    {
      title: 'useAPI, streaming',
      code: invokeCode(callOf(route, [...options, 'onChunk: (chunk) => console.log(chunk)']), payload),
    },
  ]
}

function callOf(route: string, options: readonly string[]): string {
  return options.length === 0
    ? `useAPI(${quoteString(route)})`
    : `useAPI(${quoteString(route)}, { ${options.join(', ')} })`
}

/** The parts of an input as properties of an options object; empty parts are left out. */
export function optionsOf(parts: Readonly<Record<string, object>>): string[] {
  return Object.entries(parts)
    .filter(([, value]) => Object.keys(value).length > 0)
    .map(([name, value]) => `${name}: ${toSource(JSON.stringify(value), '  ')}`)
}

/** The body as source code; empty where the route takes none, or none is given. */
export function payloadOf(route: string, { body }: CallInput, indent: string): string {
  if (!/^(?:POST|PUT|PATCH) /.test(route) || body.trim() === '') return ''
  return toSource(body, indent) ?? quoteString(body)
}

function queryCode(call: string): string {
  return `import { useAPI } from '@sdk/react'

export function Example() {
  const { data, error, isLoading, refetch } = ${call}
  if (isLoading) return <p>Loading…</p>
  return <pre onClick={() => void refetch()}>{error?.message ?? JSON.stringify(data, null, 2)}</pre>
}
`
}

function invokeCode(call: string, payload: string): string {
  return `import { useAPI } from '@sdk/react'

export function Example() {
  const { data, error, invoke, isLoading } = ${call}
  const run = () =>
    void invoke(${payload})
  return (
    <button type="button" disabled={isLoading} onClick={run}>
      {error?.message ?? JSON.stringify(data) ?? 'Run'}
    </button>
  )
}
`.replace('() =>\n    void invoke()', '() => void invoke()')
}

function socketCode(path: string, { body }: CallInput): string {
  return `import { useWebsocket } from '@sdk/react'

export function Example() {
  const { isConnected, messages, send } = useWebsocket(${quoteString(path)})
  return (
    <button type="button" disabled={!isConnected} onClick={() => send(${toSource(body, '    ') ?? '{}'})}>
      {messages.length} messages
    </button>
  )
}
`
}
