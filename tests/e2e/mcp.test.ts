import { connect } from '@sdk/mcp/testing'
import { spawnNode } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { SDK, URL_LINE } from './build-project.ts'
import { createDemoProject } from './demo-project.ts'
import { sdkHere } from './sdk-here.ts'

describe('sdk add mcp', () => {
  it('adds a route that an MCP client can use after sdk build and sdk start', async () => {
    const project = createDemoProject()
    project.remove('src/web')
    expect((await sdkHere(project.path, ['add', 'mcp']))[0]).toBe(0)
    const [code, output] = await sdkHere(project.path, ['build'])
    expect(code, output).toBe(0)
    const { dependencies } = JSON.parse(project.read('dist/server/package.json')) as { dependencies: object }
    expect(Object.keys(dependencies)).toEqual(['@modelcontextprotocol/server', '@sdk/mcp', '@sdk/server'])
    const server = await spawnNode({
      file: SDK,
      args: ['start'],
      cwd: project.path,
      env: { PORT: '0' },
      ready: URL_LINE,
    })
    try {
      const client = await connect({ fetch: (request) => fetch(request) }, { path: `${server.url}/api/mcp` })
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(['callCount', 'callHello'])
      const progress: unknown[] = []
      const result = await client.callTool(
        { name: 'callCount', arguments: { input: { to: 2 } } },
        { onprogress: ({ message }) => progress.push(message) },
      )
      expect([progress, result.structuredContent]).toEqual([['{"n":1}', '{"n":2}'], { chunks: [{ n: 1 }, { n: 2 }] }])
      await client.close()
    } finally {
      await server.kill()
    }
  })
})
