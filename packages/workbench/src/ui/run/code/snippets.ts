import { buildUrl } from '@sdk/frontend'
import type { TestRunner } from '../../../manifest.ts'
import type { RunIdentity } from '../../../run.ts'
import type { CallInput } from '../../input/call-input.ts'
import { quoteShell, quoteString, toSource } from './to-source.ts'

type Snippet = { readonly title: string; readonly code: string }

/** Options for `snippetsOf`. Snippets never contain the caller's token, since they may be shared. */
interface SnippetOptions {
  /** @default the page's origin */
  readonly origin?: string
  readonly caller?: SnippetCall['caller']
  /** @default a test that calls the route as a guest, without models */
  readonly test?: Partial<TestOptions>
}

/** Options for the snippet of a test. */
export interface TestOptions {
  /** @default 'vitest' */
  readonly runner: TestRunner
  /** The folder of recorded responses of models, relative to the test. @default none */
  readonly models: string | undefined
  /** The user who calls. @default a guest */
  readonly user: RunIdentity | null
  /** The output of the run, which the test expects. @default not known */
  readonly output: unknown
}

/** Returns snippets that call a route with an input: for a terminal, for TypeScript, for React, and as a test. */
export function snippetsOf(route: string, input: CallInput, options: SnippetOptions = {}): Snippet[] {
  const { origin = location.origin, caller = null, test: given } = options
  const test = { runner: 'vitest', models: undefined, user: null, output: undefined, ...given } as const
  if (!route.includes(' ')) return [...reactSnippets(route, input), socketTest(route, test)]
  const headers = snippetHeaders(route, input)
  const call: SnippetCall = { route, input, url: urlOf(route, input, origin), headers, caller, test }
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
  readonly test: TestOptions
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

function toTest({ route, input, test }: SnippetCall, agent: string | undefined): string {
  const literal = payloadOf(route, input, '  ')
  const { user, output } = test
  const app = user === null ? 'app' : `app.as(${toSource(JSON.stringify(toTestUser(user)), '  ')})`
  const call =
    agent === undefined
      ? `${app}.${toCall(route, input, literal)}`
      : `${app}.agent(${quoteString(agent)}).collect(${literal})`
  const value = agent === undefined || Array.isArray(output) ? output : [output]
  const expected = output === undefined ? null : toSource(JSON.stringify(value), '  ')
  return testCode(`responds to ${route}`, { call: `const output = await ${call}`, value: 'output', expected, test })
}

function toTestUser({ userId, name, email }: RunIdentity): object {
  return { id: userId, name: name ?? email ?? userId, ...(email !== null && { email }) }
}

function toCall(route: string, { params, query }: CallInput, literal: string): string {
  const options = optionsOf({ params, query })
  if (options.length === 0) return `call(${quoteString(route)}${literal === '' ? '' : `, ${literal}`})`
  return `call(${quoteString(route)}, ${literal || 'undefined'}, { ${options.join(', ')} })`
}

function toSdkRun({ input, caller }: SnippetCall, agent: string): string {
  const body = input.body.trim() === '' ? '' : ` ${quoteShell(input.body)}`
  return `npx sdk run ${quoteShell(agent)}${body} --stream${caller === null ? '' : ` --as ${quoteShell(caller.email)}`}`
}

function socketTest(path: string, test: TestOptions): Snippet {
  const call = `const socket = await app.socket(${quoteString(path)})`
  return { title: 'Test', code: testCode(`opens ${path}`, { call, value: 'socket', expected: null, test }) }
}

interface TestCode {
  readonly call: string
  /** The name of the variable that is checked. */
  readonly value: string
  /** The expected value as source code, or null if it is not known. */
  readonly expected: string | null
  readonly test: TestOptions
}

function testCode(title: string, { call, value, expected, test: { runner, models } }: TestCode): string {
  const isVitest = runner === 'vitest'
  const snapshot = value === 'output' ? 'expect(output).toMatchInlineSnapshot()' : `expect(${value}).toBeDefined()`
  const node = expected === null ? `assert.ok(${value})` : `assert.deepEqual(${value}, ${expected})`
  const imports = isVitest
    ? ["import { testApp } from '@sdk/server/testing'", "import { expect, it } from 'vitest'"]
    : [
        "import assert from 'node:assert/strict'",
        "import { it } from 'node:test'",
        "import { testApp } from '@sdk/server/testing'",
      ]
  const options = models === undefined ? '' : `, { models: \`\${import.meta.dirname}/${models}\` }`
  return `${imports.join('\n')}

it(${quoteString(title)}, async () => {
  const app = await testApp(process.cwd()${options})
  ${call}
  ${isVitest ? snapshot : node}
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
