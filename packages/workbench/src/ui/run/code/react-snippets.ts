import type { CallInput } from '../../input/call-input.ts'
import { quoteString, toSource } from './to-source.ts'
import type { Snippet } from './snippets.ts'

/** How a component uses a route, with this input. */
export function reactSnippets(route: string, input: CallInput): Snippet[] {
  if (!route.includes(' ')) return [{ title: 'useWebsocket', code: socketCode(route, input) }]
  const isQuery = /^(?:GET|HEAD) /.test(route)
  const options = optionsOf(input)
  if (isQuery) {
    return [
      { title: 'useAPI', code: queryCode(callOf(route, options)) },
      {
        title: 'useAPI, options',
        code: queryCode(`useAPI({ ${[`route: ${quoteString(route)}`, ...options].join(', ')} })`),
      },
    ]
  }
  const payload = payloadOf(route, input)
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

function optionsOf({ params, query, headers }: CallInput): string[] {
  const given = { params, query, headers: Object.fromEntries(headers) }
  return Object.entries(given)
    .filter(([, value]) => Object.keys(value).length > 0)
    .map(([name, value]) => `${name}: ${toSource(JSON.stringify(value), '  ')}`)
}

function payloadOf(route: string, { body }: CallInput): string {
  if (!/^(?:POST|PUT|PATCH) /.test(route) || body.trim() === '') return ''
  return toSource(body, '      ') ?? quoteString(body)
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
