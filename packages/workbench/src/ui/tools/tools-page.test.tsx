// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { EMPTY_INPUT } from '../input/call-input.ts'
import { startTestBench, type PageRequest } from '../runs/page.test.fixture.tsx'
import { connectLines } from './connect-lines.ts'
import { issuesIn, toToolInput } from './mcp-message.ts'
import { ToolsPage } from './tools-page.tsx'

const bench = startTestBench()

const TOOLS = [
  {
    name: 'deleteItem',
    description: 'Deletes an item',
    inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    outputSchema: { type: 'object', title: 'The deleted item' },
    annotations: { destructiveHint: true, idempotentHint: true },
  },
  { name: 'callEcho', inputSchema: { type: 'object' } },
]

function open(address: string, answer: (request: PageRequest) => unknown, tools?: readonly string[]): void {
  const routes = [
    { route: 'DELETE /api/items/:id', kind: 'route' },
    { route: 'POST /agent/echo', kind: 'agent' },
    ...(tools === undefined ? [] : [{ route: 'POST /api/mcp', kind: 'route', tools }]),
  ]
  bench.handlers['GET /_workbench/api/manifest'] = () => ({ project: 'My app', revision: 1, routes, problems: [] })
  bench.handlers['GET /_workbench/api/runs'] = () => ({ runs: [], hasMore: false, callers: [], total: 0 })
  bench.handlers['POST /api/mcp'] = answer
  bench.open(address, <ToolsPage />)
}

const list = (): unknown => ({ jsonrpc: '2.0', id: 1, result: { tools: TOOLS } })
const NAMES = ['DELETE /api/items/:id', 'POST /agent/echo']

it('lists the tools as a client does, and shows how to connect', async () => {
  open('/tools', list, NAMES)
  expect(await screen.findByRole('link', { name: 'deleteItem' })).toBeDefined()
  expect(screen.getByText('claude mcp add --transport http my-app http://bench.test/api/mcp')).toBeDefined()
  const request = bench.requests.find(({ route }) => route === 'POST /api/mcp')
  expect(request?.body).toEqual({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  expect(request?.headers.get('accept')).toBe('application/json, text/event-stream')
})

it('reads a list in an event stream', async () => {
  const text = `event: message\ndata: ${JSON.stringify(list())}\n\n`
  open('/tools', () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }), NAMES)
  expect(await screen.findByRole('link', { name: 'callEcho' })).toBeDefined()
})

it('shows the route, the hints and the schemas of a tool', async () => {
  open('/tools?server=POST+%2Fapi%2Fmcp&tool=deleteItem', list, NAMES)
  expect(await screen.findByRole('heading', { name: 'deleteItem' })).toBeDefined()
  const link = screen.getByRole('link', { name: 'DELETE /api/items/:id' })
  expect(link.getAttribute('href')).toContain('routes?route=DELETE')
  for (const text of ['destructive', 'idempotent', 'Deletes an item', 'Input schema', 'Output schema'])
    expect(screen.getByText(text)).toBeDefined()
  expect(screen.getByText(/The deleted item/)).toBeDefined()
})

it('shows why the list was rejected', async () => {
  const error = { code: 'UNAUTHORIZED', message: 'Sign in to use this route', details: [] }
  open('/tools', () => Response.json({ error }, { status: 401 }), NAMES)
  expect(await screen.findByText(/Sign in to use this route\. Choose a user/)).toBeDefined()
})

it('shows how to add an MCP route', async () => {
  open('/tools', list)
  expect(await screen.findByText('npx sdk add mcp')).toBeDefined()
})

it('keeps the arguments of a call as typed', () => {
  const input = { ...EMPTY_INPUT, body: '{ "n": 1.0 }', headers: [['x-tenant', 'a']] as const }
  const { body, headers } = toToolInput('a"b', input)
  expect(headers).toContainEqual(['x-tenant', 'a'])
  expect(body).toBe('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a\\"b","arguments":{ "n": 1.0 }}}')
  expect(JSON.parse(toToolInput('it', EMPTY_INPUT).body)).toMatchObject({ params: { arguments: {} } })
})

it('finds the invalid fields in the result of a call', () => {
  const details = [
    { code: 'X', message: 'is invalid', pointer: '/title' },
    { code: 'X', message: 'is unknown', name: 'a/b' },
  ]
  const text = JSON.stringify({ error: { code: 'INVALID_REQUEST', message: 'no', details } })
  expect(issuesIn({ result: { isError: true, content: [{ type: 'text', text }] } })).toEqual([
    { pointer: '/title', message: 'is invalid' },
    { pointer: '/a~1b', message: 'is unknown' },
  ])
  for (const answer of [undefined, null, {}, { result: { isError: true, content: [{ text: 'no' }] } }])
    expect(issuesIn(answer)).toEqual([])
})

it('converts the name of the project for clients', () => {
  expect(connectLines('Größe 7!', 'u')[0]?.code).toBe('claude mcp add --transport http gr-e-7 u')
  expect(connectLines('', 'u')[0]?.code).toBe('claude mcp add --transport http app u')
})
