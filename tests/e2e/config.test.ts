import { spawnNode, startProcess } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { SDK, URL_LINE } from './build-project.ts'
import { createDemoProject, type DemoProject } from './demo-project.ts'

describe('sdk.config.ts', () => {
  it('is used by build and start, and by dev', async () => {
    const project = createDemoProject()
    project.write(
      'sdk.config.ts',
      `import { defineConfig } from '@sdk/cli'

export default defineConfig({
  port: 1,
  host: '127.0.0.2',
  metrics: true,
  rateLimit: { agent: { quota: 7, window: 60 } },
  vite: { define: { __WORD__: '"a word"' } },
})
`,
    )
    project.edit('src/web/App.tsx', 'Hello from the page', '{__WORD__}')
    expect((await sdk(project, 'build'))[0]).toBe(0)
    const env = { PORT: '0', HOST: '127.0.0.1' } // which come first
    const started = await spawnNode({ file: SDK, args: ['start'], cwd: project.path, env, ready: URL_LINE })
    const args = ['dev', '--port', '0', '--host', '127.0.0.1']
    const dev = await spawnNode({ file: SDK, args, cwd: project.path, ready: URL_LINE })
    expect([started.url, dev.url]).toEqual([started, dev].map(() => expect.stringMatching(/127\.0\.0\.1:\d\d+$/)))
    for (const { url } of [started, dev]) {
      expect((await fetch(`${url}/metrics`)).status).toBe(200)
      const called = await fetch(`${url}/agent/hello`, { method: 'POST' })
      expect(called.headers.get('ratelimit-policy')).toContain('"agent";q=7;w=60')
    }
    const page = await (await fetch(started.url, { headers: { accept: 'text/html' } })).text()
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1]
    expect(await (await fetch(`${started.url}${script}`)).text()).toContain('a word')
    await started.kill()
    await dev.kill()
  })

  it('with a setting that means nothing stops every command, and says which was meant', async () => {
    const project = createDemoProject()
    project.write('sdk.config.ts', 'export default { prot: 4000 }\n')
    for (const command of ['dev', 'build', 'list'])
      expect(await sdk(project, command)).toEqual([
        1,
        '✗ sdk.config.ts: there is no setting "prot"\n  did you mean port?\n  more: sdk explain INVALID_CONFIG\n',
      ])
  })
})

async function sdk({ path }: DemoProject, ...args: string[]): Promise<[number | null, string]> {
  const running = await startProcess({ command: process.execPath, args: [SDK, ...args], cwd: path })
  return [(await running.exited).code, running.output()]
}
