import { buildUrl } from '@sdk/frontend'
import type { CallInput } from '../../input/call-input.ts'
import { quoteShell, quoteString, toSource } from './to-source.ts'
import { optionsOf, payloadOf, reactSnippets, type Snippet } from './react-snippets.ts'

/** The user of a snippet. It never contains the token, as code is pasted where others read it. */
interface SnippetUser {
  readonly email: string
}

interface SnippetOptions {
  /** @default the page's own */
  readonly origin?: string
  /** @default nobody */
  readonly caller?: SnippetUser | null
}

/** How a route is called with an input: from a terminal, from code, from React, and in a test. */
export function snippetsOf(route: string, input: CallInput, options: SnippetOptions = {}): Snippet[] {
  const { origin = location.origin, caller = null } = options
  if (!route.includes(' ')) return [...reactSnippets(route, input), socketTest(route)]
  const call: SnippetCall = {
    route,
    input,
    url: urlOf(route, input, origin),
    headers: snippetHeaders(route, input),
    caller,
  }
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
  readonly caller: SnippetUser | null
}

function hasBody(route: string, { body }: CallInput): boolean {
  return /^(?:POST|PUT|PATCH) /.test(route) && body.trim() !== ''
}

function urlOf(route: string, { params, query }: CallInput, origin: string): string {
  const path = route.slice(route.indexOf(' ') + 1)
  try {
    return buildUrl(origin, path, { params, query })
  } catch {
    return origin + path // a parameter is not given yet
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

function toTest({ route, input }: SnippetCall, agent: string | undefined): string {
  const literal = payloadOf(route, input, '  ')
  return `import { testApp } from '@sdk/server/testing'
import { expect, it } from 'vitest'

it(${quoteString(`answers ${route}`)}, async () => {
  const app = await testApp(process.cwd())
  const output = await ${agent === undefined ? toCall(route, input, literal) : `app.agent(${quoteString(agent)}).collect(${literal})`}
  expect(output).toMatchInlineSnapshot()
  await app.close()
})
`
}

function toCall(route: string, { params, query }: CallInput, literal: string): string {
  const options = optionsOf({ params, query })
  const payload = literal === '' ? 'undefined' : literal
  if (options.length === 0) return `app.call(${quoteString(route)}${literal === '' ? '' : `, ${literal}`})`
  return `app.call(${quoteString(route)}, ${payload}, { ${options.join(', ')} })`
}

function toSdkRun({ input, caller }: SnippetCall, agent: string): string {
  const body = input.body.trim() === '' ? '' : ` ${quoteShell(input.body)}`
  return `npx sdk run ${quoteShell(agent)}${body} --stream${caller === null ? '' : ` --as ${quoteShell(caller.email)}`}`
}

function socketTest(path: string): Snippet {
  const code = `import { testApp } from '@sdk/server/testing'
import { expect, it } from 'vitest'

it(${quoteString(`opens ${path}`)}, async () => {
  const app = await testApp(process.cwd())
  const socket = await app.socket(${quoteString(path)})
  expect(socket).toBeDefined()
  await app.close()
})
`
  return { title: 'Test', code }
}
