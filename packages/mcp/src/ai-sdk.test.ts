import { createMCPClient } from '@ai-sdk/mcp'
import { serve } from '@sdk/server'
import { expect, it } from 'vitest'
import { createSubject, TOOLS } from './app.test.fixture.ts'

it('offers tools to the MCP client of the AI SDK', async () => {
  const server = await serve(createSubject().app, { port: 0, signals: false })
  try {
    const client = await createMCPClient({ transport: { type: 'http', url: `${server.url}/api/mcp` } })
    const tools = await client.tools()
    expect(Object.keys(tools)).toEqual(Object.keys(TOOLS))
    const call = (name: string, input: unknown): unknown =>
      tools[name]?.execute(input, { toolCallId: '1', messages: [] })
    expect(await call('summarize', { text: 'one two' })).toMatchObject({ structuredContent: { text: 'one t' } })
    expect(await call('summarize', { text: 7 })).toMatchObject({ isError: true })
    await client.close()
  } finally {
    await server.close()
  }
})
