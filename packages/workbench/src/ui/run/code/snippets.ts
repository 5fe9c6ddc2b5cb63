import { buildUrl } from '@sdk/frontend'
import type { CallInput } from '../../input/call-input.ts'
import { quoteShell, quoteString, toSource } from './to-source.ts'

type Snippet = { readonly title: string; readonly code: string }

/**
 * Options for `snippetsOf`. `origin` defaults to the page's origin. Snippets never contain the caller's token, since
 * they may be shared. With `callsModels`, the test replays recorded responses of models.
 */
type SnippetOptions = { origin?: string; caller?: SnippetCall['caller']; callsModels?: boolean }

/** Returns snippets that call a route with an input: for a terminal, for TypeScript, for React, and as a test. */
export function snippetsOf(route: string, input: CallInput, options: SnippetOptions = {}): Snippet[] {
  const { origin = location.origin, caller = null, callsModels = false } = options
  if (!route.includes(' ')) return [...reactSnippets(route, input), socketTest(route)]
  const headers = snippetHeaders(route, input)
  const call: SnippetCall = { route, input, url: urlOf(route, input, origin), headers, caller, callsModels }
  const name = /^POST \/agent\/(.+)$/.exec(route)?.[1]
  return [
    { title: 'curl', code: toCurl(call) },
    { title: 'fetch', code: toFetch(call) },
    ...reactSnippets(route, input),
    { title: 'Test', code: toTest(call, name) },
    ...(name === undefined ? [] : [{ title: 'sdk run', code: toSdkRun(call, name) }]),
  ]
}

interface SnippetCall {
  readonly route: string
  readonly input: CallInput
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly caller: { readonly email: string } | null
  readonly callsModels: boolean
}

function hasBody(route: string, { body }: CallInput): boolean {
  return /^(?:POST|PUT|PATCH) /.test(route) && body.trim() !== ''
}

function urlOf(route: string, { params, query }: CallInput, origin: string): string {
  const path = route.slice(route.indexOf(' ') + 1)
  try {
    return buildUrl(origin, path, { params, query })
  } catch {
    return origin + path // a path parameter is still missing
  }
}

function snippetHeaders(route: string, input: CallInput): readonly (readonly [string, string])[] {
  const hasType = input.headers.some(([name]) => name.toLowerCase() === 'content-type')
  return hasBody(route, input) && !hasType ? [['content-type', 'application/json'], ...input.headers] : input.headers
}

function toCurl({ route, input, url, headers, caller }: SnippetCall): string {
  const method = route.slice(0, route.indexOf(' '))
  const parts = [
    `curl -N${method === 'GET' ? '' : ` -X ${method}`} ${quoteShell(url)}`,
    ...headers.map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`),
    ...(caller === null ? [] : ['-H "authorization: Bearer $TOKEN"']),
    ...(hasBody(route, input) ? [`--data-raw ${quoteShell(input.body)}`] : []),
  ]
  return parts.join(' \\\n  ')
}

function toFetch({ route, input, url, headers, caller }: SnippetCall): string {
  const method = route.slice(0, route.indexOf(' '))
  const pairs = headers.map(([name, value]) => `${quoteString(name)}: ${quoteString(value)}`)
  if (caller !== null) pairs.push('authorization: `Bearer ${process.env.TOKEN}`')
  const literal = toSource(input.body, '  ')
  const lines = [
    `method: ${quoteString(method)},`,
    ...(pairs.length === 0 ? [] : [`headers: { ${pairs.join(', ')} },`]),
    ...(hasBody(route, input)
      ? [`body: ${literal === null ? quoteString(input.body) : `JSON.stringify(${literal})`},`]
      : []),
  ]
  return `const response = await fetch(${quoteString(url)}, {
${lines.map((line) => `  ${line}`).join('\n')}
})
console.log(response.status, await response.text())
`
}

function toTest({ route, input, callsModels }: SnippetCall, agent: string | undefined): string {
  const literal = payloadOf(route, input, '  ')
  const call =
    agent === undefined ? toCall(route, input, literal) : `app.agent(${quoteString(agent)}).collect(${literal})`
  const options = callsModels ? ', { models: `${import.meta.dirname}/models` }' : ''
  const lines = [`const output = await ${call}`, 'expect(output).toMatchInlineSnapshot()']
  return testCode(`responds to ${route}`, lines, options)
}

function toCall(route: string, { params, query }: CallInput, literal: string): string {
  const options = optionsOf({ params, query })
  if (options.length === 0) return `app.call(${quoteString(route)}${literal === '' ? '' : `, ${literal}`})`
  return `app.call(${quoteString(route)}, ${literal || 'undefined'}, { ${options.join(', ')} })`
}

function toSdkRun({ input, caller }: SnippetCall, agent: string): string {
  const body = input.body.trim() === '' ? '' : ` ${quoteShell(input.body)}`
  return `npx sdk run ${quoteShell(agent)}${body} --stream${caller === null ? '' : ` --as ${quoteShell(caller.email)}`}`
}

function socketTest(path: string): Snippet {
  const lines = [`const socket = await app.socket(${quoteString(path)})`, 'expect(socket).toBeDefined()']
  return { title: 'Test', code: testCode(`opens ${path}`, lines) }
}

function testCode(title: string, lines: readonly string[], options: string = ''): string {
  return `import { testApp } from '@sdk/server/testing'
import { expect, it } from 'vitest'

it(${quoteString(title)}, async () => {
  const app = await testApp(process.cwd()${options})
  ${lines.join('\n  ')}
  await app.close()
})
`
}

function reactSnippets(route: string, input: CallInput): Snippet[] {
  if (!route.includes(' ')) return [{ title: 'useWebsocket', code: socketCode(route, input) }]
  const { params, query, headers } = input
  const options = optionsOf({ params, query, headers: Object.fromEntries(headers) })
  const isQuery = /^(?:GET|HEAD) /.test(route)
  const payload = payloadOf(route, input, '      ')
  const codeOf = (call: string): string => (isQuery ? queryCode(call) : invokeCode(call, payload))
  const withOptions = `useAPI({ ${[`route: ${quoteString(route)}`, ...options].join(', ')} })`
  const streaming = callOf(route, [...options, 'onChunk: (chunk) => console.log(chunk)'])
  return [
    { title: 'useAPI', code: codeOf(callOf(route, options)) },
    { title: 'useAPI, options', code: codeOf(withOptions) },
    ...(isQuery ? [] : [{ title: 'useAPI, streaming', code: codeOf(streaming) }]),
  ]
}

function callOf(route: string, options: readonly string[]): string {
  return options.length === 0
    ? `useAPI(${quoteString(route)})`
    : `useAPI(${quoteString(route)}, { ${options.join(', ')} })`
}

/** Returns the parts of an input as properties of an options object, omitting empty parts. */
function optionsOf(parts: Readonly<Record<string, object>>): string[] {
  return Object.entries(parts)
    .filter(([, value]) => Object.keys(value).length > 0)
    .map(([name, value]) => `${name}: ${toSource(JSON.stringify(value), '  ')}`)
}

/** Returns the body as source code, or an empty string if the route has no body or none is given. */
function payloadOf(route: string, input: CallInput, indent: string): string {
  return hasBody(route, input) ? (toSource(input.body, indent) ?? quoteString(input.body)) : ''
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
