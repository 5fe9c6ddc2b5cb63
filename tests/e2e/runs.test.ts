import type { Run } from '@sdk/protocol'
import { createDatabase, freePort, hasPostgres, type NodeProcess, spawnNode } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { createDemoProject, type DemoProject } from './demo-project.ts'
import { runSdk, SDK, startDev } from './mistakes/terminal.ts'
import { sdkHere } from './sdk-here.ts'

/** Writes its version in the second step, which waits for a file that the test creates. */
const AGENT = `import { existsSync } from 'node:fs'
import { createAgent } from '@sdk/server'

export default createAgent('story', {
  durable: true,
  async handler(ctx) {
    const first = await ctx.step('first', () => 'version 1')
    const second = await ctx.step('second', async ({ signal }) => {
      while (!existsSync('go') && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 10))
      return 'version 1'
    })
    return { first, second, attempt: ctx.run.attempt }
  },
})
`

function createStoryProject(): DemoProject {
  return createDemoProject({
    'package.json': '{ "name": "demo", "type": "module" }\n',
    'src/agent/story/index.ts': AGENT,
  })
}

async function startRun(url: string): Promise<string> {
  const response = await fetch(`${url}/agent/story`, { method: 'POST', headers: { prefer: 'respond-async' } })
  expect(response.status).toBe(202)
  return `${url}${response.headers.get('location')}`
}

const runAt = async (path: string): Promise<Run> => (await (await fetch(path)).json()) as Run

describe('sdk dev with a durable agent', () => {
  it('continues a run with the new code after a save, and keeps its finished steps', async () => {
    const project = createStoryProject()
    const server = await startDev(project)
    try {
      const path = await startRun(server.url)
      await expect.poll(async () => (await runAt(path)).status).toBe('running')
      project.write('src/agent/story/index.ts', AGENT.replaceAll('version 1', 'version 2'))
      await expect.poll(async () => (await runAt(path)).attempt).toBe(2)
      project.write('go', '')
      const output = { first: 'version 1', second: 'version 2', attempt: 2 }
      await expect.poll(() => runAt(path)).toMatchObject({ status: 'done', output })
      const response = await fetch(`${server.url}/agent/story`, { method: 'POST' })
      expect(await response.json()).toEqual({ first: 'version 2', second: 'version 2', attempt: 1 })
    } finally {
      await server.kill()
    }
  })
})

describe('sdk start with a durable agent', () => {
  it('refuses to start without a database, and continues a run after a restart with one', async () => {
    const project = createStoryProject()
    expect((await sdkHere(project.path, ['build']))[0]).toBe(0)
    const env = { NODE_ENV: 'production', DATABASE_URL: '' }
    expect(await runSdk(project.path, ['start'], env)).toContain(
      'DATABASE_URL is not set: durable agents store their runs in the database',
    )
    const port = await freePort()
    const url = hasPostgres() ? await createDatabase() : 'pglite://data'
    const start = (): Promise<NodeProcess> =>
      spawnNode({
        file: SDK,
        args: ['start', '--port', String(port)],
        cwd: project.path,
        env: { NODE_ENV: 'production', DATABASE_URL: url },
        ready: /http:\S+:\d+/,
      })
    const first = await start()
    const path = await startRun(`http://127.0.0.1:${port}`)
    await expect.poll(async () => (await runAt(path)).status).toBe('running')
    await first.stop('SIGTERM')
    const second = await start()
    project.write('go', '')
    await expect.poll(() => runAt(path)).toMatchObject({ status: 'done', output: { attempt: 2 } })
    await second.stop('SIGTERM')
  })
})
