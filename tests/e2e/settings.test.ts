import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { spawnNode, type NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SDK, URL_LINE } from './build-project.ts'
import { createDemoProject } from './demo-project.ts'
import { runSdk } from './mistakes/terminal.ts'
import { runSdkHere, sdkHere } from './sdk-here.ts'

const REPORT = `import { createAgent } from '@sdk/server'

const { A, B, C } = process.env

export default createAgent('report', { handler: () => ({ A, B, C, mode: process.env.NODE_ENV }) })
`

const CONFIG = `import { defineConfig } from '@sdk/cli'

export default defineConfig({
  port: 1,
  host: '127.0.0.2',
  metrics: true,
  rateLimit: { agent: { quota: 7000, window: 60 } },
  vite: { define: { __WORD__: '"a word"' } },
  formatError: './src/format-error.ts',
})
`

const FORMAT_ERROR = `import type { FormatError } from '@sdk/server'

export default (({ status, message }, ctx) => ({ status, body: { messages: [message], isParsed: ctx !== null } })) satisfies FormatError
`

describe('sdk.config.ts and env files', () => {
  const project = createDemoProject()
  const env = { C: 'shell', A: undefined, B: undefined, NODE_ENV: undefined, PORT: '0' }
  let dev: NodeProcess

  beforeAll(async () => {
    project.write('sdk.config.ts', CONFIG)
    project.write('src/agent/report/index.ts', REPORT)
    project.write('src/format-error.ts', FORMAT_ERROR)
    project.edit('src/web/App.tsx', 'Hello from the page', '{__WORD__}{import.meta.env.VITE_WORD}{import.meta.env.A}')
    project.write('.env', 'A=all\nB=all\nC=all\nVITE_WORD=everywhere\nNODE_ENV=production\n')
    project.write('.env.development', 'B=development\nVITE_WORD=in-development\n')
    project.write('.env.production.local', 'B=production\nVITE_WORD=in-production\nHOST=127.0.0.1\n')
    const args = ['dev', '--port', '0', '--host', '127.0.0.1'] // these override the config
    dev = await spawnNode({ file: SDK, args, cwd: project.path, env: { ...env, PORT: undefined }, ready: URL_LINE })
  })
  afterAll(() => dev.kill())

  it('apply to the server in sdk dev, and to the page only with the prefix VITE_', async () => {
    expect(await report(dev.url)).toEqual({ A: 'all', B: 'development', C: 'shell', mode: 'development' })
    const page = await (await fetch(`${dev.url}/App.tsx`)).text()
    expect(page).toContain('in-development')
    expect(page).not.toContain('"all"')
    await expectConfigured(dev.url)
  })

  it('print a hint to restart when they change, while the server keeps running', async () => {
    project.write('.env', `${project.read('.env')}D=1\n`)
    await dev.waitFor(/\.env has changed: restart sdk dev/)
    project.write('.env.local', 'D=2\n')
    await dev.waitFor(/\.env\.local has changed: restart sdk dev/)
    project.edit('src/agent/report/index.ts', 'mode:', 'saved: true, mode:')
    await expect.poll(() => report(dev.url)).toMatchObject({ saved: true, A: 'all' })
    project.edit('src/format-error.ts', 'messages:', 'texts:')
    const missing = async (): Promise<unknown> => (await fetch(`${dev.url}/api/nowhere`)).json()
    await expect.poll(missing).toHaveProperty('texts')
  })

  it('apply to the page at build time and to the server at sdk start', async () => {
    expect(await sdkHere(project.path, ['build'], env)).toEqual([0, expect.any(String)])
    project.edit('.env.production.local', 'B=production', 'B=later')
    const started = await spawnNode({ file: SDK, args: ['start'], cwd: project.path, env, ready: URL_LINE })
    expect(await report(started.url)).toMatchObject({ A: 'all', B: 'later', C: 'shell', mode: 'production' })
    await expectConfigured(started.url)
    const html = await (await fetch(started.url, { headers: { accept: 'text/html' } })).text()
    const [script = ''] = /\/assets\/[^"]+\.js/.exec(html) ?? []
    const source = await (await fetch(started.url + script)).text()
    expect(source).toContain('in-production')
    expect(source).toContain('a word')
    await started.kill()
  })

  it('are listed by sdk info without their values', async () => {
    const [code, output] = await sdkHere(project.path, ['info'], env)
    expect([code, output]).toEqual([0, expect.stringMatching(/^env +\.env, \.env\.local, \.env\.development$/m)])
    expect(output).not.toContain('in-development')
  })

  it.each(['dev', 'start', 'run report', 'list'])('stop sdk %s if a line is invalid', async (command) => {
    project.write('.env', 'A=1\nthe secret of my life\n')
    // `start` needs a process, since it reads the files before it loads the commands.
    const run = command === 'start' ? runSdk : runSdkHere
    expect(await run(project.path, command.split(' '))).toBe(`✗ .env:2 is not NAME=value
  each line must be NAME=value, a # comment or empty; put multi-line values in quotes
  for details, run sdk explain INVALID_ENV_FILE
(1)`)
  })

  async function report(url: string): Promise<unknown> {
    return (await fetch(`${url}/agent/report`, { method: 'POST' })).json()
  }

  async function expectConfigured(url: string): Promise<void> {
    expect(url).toMatch(/127\.0\.0\.1:\d\d+$/)
    expect((await fetch(`${url}/metrics`)).status).toBe(200)
    const called = await fetch(`${url}/agent/hello`, { method: 'POST' })
    expect(called.headers.get('ratelimit-policy')).toContain('"agent";q=7000;w=60')
    expect(await (await fetch(`${url}/api/nowhere`)).json()).toMatchObject({ isParsed: true })
    const malformed = connect(Number(new URL(url).port), '127.0.0.1').end('nonsense\r\n\r\n')
    expect(await text(malformed)).toContain('"isParsed":false')
  }
})

describe('an unknown setting', () => {
  const project = createDemoProject()
  project.write('sdk.config.ts', 'export default { prot: 4000 }\n')

  it.each(['dev', 'build', 'list'])('stops sdk %s with a suggestion', async (command) => {
    expect(await sdkHere(project.path, [command])).toEqual([
      1,
      '✗ sdk.config.ts: unknown setting "prot"\n  did you mean port?\n  for details, run sdk explain INVALID_CONFIG\n',
    ])
  })
})
