import type { CallToolResult } from '@modelcontextprotocol/client'
import { serve } from '@sdk/server'
import { testApp, type TestApp } from '@sdk/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSubject, MIXED, PIXEL, TOOLS, type Subject } from './app.test.fixture.ts'
import { mcp } from './index.ts'
import { connect, type ConnectOptions } from './testing.ts'

const VERSIONS: readonly NonNullable<ConnectOptions['version']>[] = ['2026-07-28', '2025-11-25']
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

let subject: Subject
let app: TestApp
const ada = (): TestApp => app.as({ name: 'Ada' })

beforeEach(async () => {
  subject = createSubject()
  app = await testApp(subject.app)
})
afterEach(() => app.close())

describe.each(VERSIONS)('mcp with a client of %s', (version) => {
  const open = (as: TestApp = ada()): ReturnType<typeof connect> => connect(as, { version })
  const call = async (name: keyof typeof TOOLS, args: Record<string, unknown> = {}): Promise<CallToolResult> =>
    (await open()).callTool({ name, arguments: args })

  it('describes the server', async () => {
    const client = await open()
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect(client.getServerVersion()).toMatchObject({ name: 'subject', version: '1.0.0' })
    expect(client.getInstructions()).toBe('Be brief.')
    expect(client.getServerCapabilities()).toEqual({ tools: {} })
  })

  it('lists only the given routes, with schemas and hints', async () => {
    const { tools } = await (await open()).listTools()
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(TOOLS))
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    expect(byName.get('summarize')).toMatchObject({
      description: 'Returns the first words of a text',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      outputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    })
    expect(byName.get('summarize')).not.toHaveProperty('annotations')
    expect(byName.get('count')?.outputSchema).toMatchObject({
      properties: { chunks: { type: 'array', items: { properties: { number: { type: 'integer' } } } } },
    })
    expect(byName.get('getTask')?.inputSchema).toMatchObject({ required: ['id'] })
    expect(byName.get('listTasks')?.annotations).toEqual({ readOnlyHint: true })
    expect(byName.get('replaceTask')?.annotations).toEqual({ idempotentHint: true })
    expect(byName.get('deleteTask')?.annotations).toEqual({ destructiveHint: true, idempotentHint: true })
    expect(byName.get('trace')).not.toHaveProperty('outputSchema')
  })

  it('returns a result as structured content and as JSON', async () => {
    expect(await call('summarize', { text: 'one two' })).toMatchObject({
      structuredContent: { text: 'one t' },
      content: [{ type: 'text', text: '{"text":"one t"}' }],
    })
  })

  it('returns an array', async () => {
    const { structuredContent, content } = await call('words')
    expect(structuredContent).toEqual(version === '2025-11-25' ? { result: ['one', 'two'] } : ['one', 'two'])
    expect(content).toEqual([{ type: 'text', text: '["one","two"]' }])
  })

  it('reports each chunk as progress, and returns all of them', async () => {
    const client = await open()
    const progress: unknown[] = []
    const result = await client.callTool(
      { name: 'count', arguments: { to: 3 } },
      { onprogress: (one) => progress.push(one) },
    )
    expect(progress).toEqual([1, 2, 3].map((number) => ({ progress: number, message: `{"number":${number}}` })))
    expect(result.structuredContent).toEqual({ chunks: [{ number: 1 }, { number: 2 }, { number: 3 }] })
    expect((await client.callTool({ name: 'count', arguments: { to: 1 } })).structuredContent).toEqual({
      chunks: [{ number: 1 }],
    })
  })

  it.each([
    ['pixel', { type: 'image', mimeType: 'image/png', data: PIXEL }],
    ['sound', { type: 'audio', mimeType: 'audio/wav', data: PIXEL }],
    ['archive', { type: 'resource', resource: { uri: 'result://archive', mimeType: 'application/zip', blob: PIXEL } }],
  ] as const)('returns a binary response: %s', async (name, block) => {
    const { content, structuredContent } = await call(name)
    expect([content, structuredContent]).toEqual([[block], undefined])
  })

  it('returns several blocks', async () => {
    const { content, structuredContent } = await call('mixed')
    expect([content, structuredContent]).toEqual([MIXED.content, undefined])
    const { tools } = await (await open()).listTools()
    expect(tools.find(({ name }) => name === 'mixed')).not.toHaveProperty('outputSchema')
    expect(await app.call('GET /api/mixed')).toEqual(MIXED)
  })

  it('does not return blocks that are invalid', async () => {
    expect(await call('invalid')).toMatchObject({ isError: true })
    expect(subject.logged.join('\n')).toContain('must be a text, image, audio or resource block')
    expect(await call('unchecked')).toMatchObject({ structuredContent: { content: [{ type: 'other' }] } })
  })

  it.each([
    ['an ApiError', 'fail', { code: 'CONFLICT' }, { code: 'CONFLICT', message: 'is taken' }],
    ['a missing row', 'getTask', { id: '7' }, { code: 'NOT_FOUND' }],
    ['invalid input', 'summarize', { text: 7 }, { details: [{ pointer: '/text' }] }],
    ['an unknown field', 'summarize', { text: 'one', more: 1 }, { details: [{ pointer: '/more' }] }],
    ['missing arguments', 'summarize', {}, { details: [{ pointer: '/text' }] }],
    ['an unknown query parameter', 'listTasks', { more: 1 }, { code: 'INVALID_REQUEST' }],
  ] as const)('returns the envelope of %s', async (_case, name, args, error) => {
    const { isError, content, structuredContent } = await call(name, args)
    expect([isError, structuredContent]).toEqual([true, undefined])
    expect(JSON.parse(content[0]?.type === 'text' ? content[0].text : '')).toMatchObject({ error })
  })

  it('does not return the message of other errors', async () => {
    const result = await call('fail', { code: 'other' })
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result)).not.toContain('hunter2')
    expect(subject.logged.join('\n')).toContain('hunter2')
  })

  it('rejects an unknown tool', async () => {
    const client = await open()
    await expect(client.callTool({ name: 'deleteEverything' })).rejects.toThrow('no tool is called deleteEverything')
  })

  it('runs the middleware of the called route', async () => {
    expect((await call('secret')).structuredContent).toEqual({ secret: 42 })
    const stranger = await open(app)
    expect(await stranger.callTool({ name: 'secret' })).toMatchObject({ isError: true })
  })

  it('returns only the rows of the caller', async () => {
    const own = await open()
    const { structuredContent } = await own.callTool({ name: 'createTask', arguments: { title: 'Tea' } })
    const { id } = structuredContent as { id: string }
    const titlesOf = async (user: TestApp): Promise<string[]> => {
      const list = await (await open(user)).callTool({ name: 'listTasks' })
      return (list.structuredContent as { data: { title: string }[] }).data.map(({ title }) => title)
    }
    expect(await titlesOf(ada())).toEqual(['Tea'])
    const bob = app.as({ name: 'Bob' })
    expect(await titlesOf(bob)).toEqual([])
    expect(await (await open(bob)).callTool({ name: 'deleteTask', arguments: { id } })).toMatchObject({ isError: true })
    expect((await own.callTool({ name: 'deleteTask', arguments: { id } })).isError).toBeUndefined()
    expect(await titlesOf(ada())).toEqual([])
  })

  it('continues the trace of the client', async () => {
    const client = await open()
    const traceId = async (meta?: Record<string, string>): Promise<unknown> => {
      const { structuredContent } = await client.callTool({ name: 'trace', ...(meta && { _meta: meta }) })
      return (structuredContent as { traceId: string }).traceId
    }
    expect(await traceId({ traceparent: TRACEPARENT })).toBe(TRACEPARENT.slice(3, 35))
    expect(await traceId()).not.toBe(TRACEPARENT.slice(3, 35))
    expect(await traceId({ traceparent: 'invalid' })).toMatch(/^[0-9a-f]{32}$/)
  })

  it.each(['cancels the call', 'disconnects'])('aborts the signal of the handler when the client %s', async (how) => {
    const server = await serve(subject.app, { port: 0, signals: false })
    try {
      const client = await connect(
        { fetch: (request) => fetch(request) },
        { version, path: `http://127.0.0.1:${server.port}/api/mcp` },
      )
      const abort = new AbortController()
      const called = client.callTool({ name: 'wait' }, { signal: abort.signal }).catch(() => 'ended')
      await subject.started
      if (how === 'disconnects') await client.close()
      else abort.abort()
      await subject.aborted
      expect(await called).toBe('ended')
    } finally {
      await server.close()
    }
  })
})

describe('mcp', () => {
  it('names tools by their operation ids', async () => {
    const { tools } = await (await connect(ada(), { path: '/api/listed' })).listTools()
    expect(tools.map(({ name }) => name)).toEqual(['callSummarize', 'listTasks'])
  })

  it('rejects an argument that is not a list of routes', () => {
    expect(() => mcp(undefined as never)).toThrow('mcp expects a list of routes')
  })

  it('names the most similar route if a route is unknown', async () => {
    await expect(
      app.call('POST /api/misspelled', { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    ).rejects.toMatchObject({
      cause: new TypeError('no route is called "GET /api/v1/task": did you mean GET /api/v1/tasks?'),
    })
  })

  it('counts a call under the rate limit of its route', async () => {
    const limited = await testApp(createSubject({ agent: { quota: 2, window: 60 } }).app)
    const client = await connect(limited.as({ name: 'Ada' }))
    const results = [0, 1, 2].map(() => client.callTool({ name: 'summarize', arguments: { text: 'one' } }))
    const errors = (await Promise.all(results)).filter(({ isError }) => isError)
    expect(errors).toHaveLength(1)
    expect(JSON.stringify(errors)).toContain('TOO_MANY_REQUESTS')
    expect((await client.callTool({ name: 'words' })).isError).toBeUndefined()
    await limited.close()
  })

  it.each([
    ['GET', null, 405],
    ['DELETE', null, 405],
    ['POST', '', 400],
    ['POST', '{', 400],
    ['POST', '[]', 400],
    ['POST', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400],
    ['POST', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 200],
    ['POST', '{"jsonrpc":"2.0","method":"notifications/initialized"}', 202],
  ])('answers %s with the body %s', async (method, body, status) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const response = await app.fetch(new Request('http://localhost/api/mcp', { method, headers, body }))
    expect(response.status).toBe(status)
    await response.body?.cancel()
  })
})
