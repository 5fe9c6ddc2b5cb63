import { testApp, type TestApp } from '@sdk/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSubject } from './app.test.fixture.ts'

const REVISIONS = ['2026-07-28', '2025-11-25'] as const
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

interface Message {
  readonly revision: (typeof REVISIONS)[number]
  readonly name: string
  readonly input?: object
  readonly meta?: object
  readonly headers?: Readonly<Record<string, string>>
}

let app: TestApp
beforeEach(async () => {
  app = (await testApp(createSubject().app)).as({ name: 'Ada' })
})
afterEach(() => app.close())

/** Sends a call. The order of the members in its answer shows whether the MCP SDK has sent it. */
async function send({ revision, name, input = {}, meta = {}, headers = {} }: Message) {
  const isModern = revision === '2026-07-28'
  const params = { name, arguments: input, _meta: { ...(isModern && META), ...meta } }
  const standard = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
    ...(isModern && { 'mcp-method': 'tools/call', 'mcp-name': name }),
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })
  const request = { method: 'POST', headers: { ...standard, ...headers }, body }
  const text = await (await app.fetch(new Request('http://localhost/api/mcp', request))).text()
  // The MCP SDK sends some results as the last event of a stream.
  const answer = JSON.parse(text.startsWith('{') ? text : (text.split('data: ').at(-1) ?? '')) as unknown
  return { answer, isDirect: text.startsWith('{"jsonrpc":"2.0","id":7,"result":') }
}

describe.each(REVISIONS)('a plain call of %s', (revision) => {
  it.each([
    ['a result', 'summarize', { text: 'one two' }],
    ['chunks', 'count', { to: 2 }],
    ['an image', 'pixel', {}],
    ['several blocks', 'mixed', {}],
    ['a list', 'listTasks', {}],
    ['text', 'text', {}],
    ['a number', 'total', {}],
    ['null', 'empty', {}],
    ['formatted JSON', 'formatted', {}],
    ['a thrown error', 'fail', { code: 'CONFLICT' }],
    ['an unexpected error', 'fail', { code: 'x' }],
    ['invalid input', 'summarize', { text: 7 }],
    ['a missing row', 'getTask', { id: 'missing' }],
  ] as const)('has the same answer as from the MCP SDK: %s', async (_case, name, input) => {
    const direct = await send({ revision, name, input })
    const other = await send({ revision, name, input, meta: { progressToken: 1 } })
    expect([direct.isDirect, other.isDirect]).toEqual([true, false])
    expect(direct.answer).toEqual(other.answer)
  })

  const cases: [title: string, change: Partial<Message>][] = [
    ['an unknown tool', { name: 'nothing' }],
    ['a result that is not an object', { name: 'words', input: {} }],
    ['no event stream', { headers: { accept: 'application/json' } }],
    ['an invalid description of the client', { meta: { 'io.modelcontextprotocol/clientInfo': 'me' } }],
    ['an unknown revision', { headers: { 'mcp-protocol-version': '2024-01-01' } }],
    ...(revision === '2026-07-28'
      ? ([
          ['another method in the header', { headers: { 'mcp-method': 'tools/list' } }],
          ['another tool in the header', { headers: { 'mcp-name': 'fail' } }],
        ] as const)
      : []
    ).map(([title, change]): [string, Partial<Message>] => [title, change]),
  ]
  it.each(cases)('is left to the MCP SDK: %s', async (_case, change) => {
    const { isDirect } = await send({ revision, name: 'summarize', input: { text: 'one' }, ...change })
    expect(isDirect).toBe(false)
  })
})
