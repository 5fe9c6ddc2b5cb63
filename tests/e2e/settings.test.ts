import { spawnNode, startProcess, type NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build, SDK, URL_LINE } from './build-project.ts'
import { createDemoProject } from './demo-project.ts'

const TELL = `import { createAgent } from '@sdk/server'

const { A, B, C } = process.env

export default createAgent('tell', { handler: () => ({ A, B, C, mode: process.env.NODE_ENV }) })
`

describe('env files', () => {
  const project = createDemoProject()
  const env = { C: 'shell', A: undefined, B: undefined, NODE_ENV: undefined, PORT: '0' }
  let dev: NodeProcess

  beforeAll(async () => {
    project.write('src/agent/tell/index.ts', TELL)
    project.edit('src/web/App.tsx', 'Hello from the page', '{import.meta.env.VITE_WORD}{import.meta.env.A}')
    project.write('.env', 'A=all\nB=all\nC=all\nVITE_WORD=everywhere\nNODE_ENV=production\n')
    project.write('.env.development', 'B=development\nVITE_WORD=in-development\n')
    project.write('.env.production.local', 'B=production\nVITE_WORD=in-production\nHOST=127.0.0.1\n')
    dev = await spawnNode({ file: SDK, args: ['dev'], cwd: project.path, env, ready: URL_LINE })
  })
  afterAll(() => dev.kill())

  it('reach the server in sdk dev and sdk run, and the page by their prefix alone', async () => {
    const expected = { A: 'all', B: 'development', C: 'shell', mode: 'development' }
    expect(await tell(dev.url)).toEqual(expected)
    const page = await (await fetch(`${dev.url}/App.tsx`)).text()
    expect(page).toContain('in-development')
    expect(page).not.toContain('"all"')
  })

  it('are told when they change, and the server goes on', async () => {
    project.write('.env', `${project.read('.env')}D=1\n`)
    await dev.waitFor(/\.env has changed: restart sdk dev/)
    project.write('.env.local', 'D=2\n')
    await dev.waitFor(/\.env\.local has changed: restart sdk dev/)
    project.edit('src/agent/tell/index.ts', 'mode:', 'saved: true, mode:')
    await expect.poll(() => tell(dev.url)).toMatchObject({ saved: true, A: 'all' })
  })

  it('reach what is built: the page then, and the server at sdk start', async () => {
    expect(await build(project)).toMatchObject({ code: 0 })
    project.edit('.env.production.local', 'B=production', 'B=later')
    const started = await spawnNode({ file: SDK, args: ['start'], cwd: project.path, env, ready: URL_LINE })
    expect(await tell(started.url)).toMatchObject({ A: 'all', B: 'later', C: 'shell', mode: 'production' })
    const html = await (await fetch(started.url, { headers: { accept: 'text/html' } })).text()
    const [script = ''] = /\/assets\/[^"]+\.js/.exec(html) ?? []
    const text = await (await fetch(started.url + script)).text()
    expect(text).toContain('in-production')
    await started.kill()
  })

  it('are named by sdk info, without a value', async () => {
    const [code, output] = await sdk('info')
    expect([code, output]).toEqual([0, expect.stringMatching(/^env +\.env, \.env\.local, \.env\.development$/m)])
    expect(output).not.toContain('in-development')
  })

  it.each(['dev', 'start', 'run tell', 'list'])('with a line that means nothing stop sdk %s', async (command) => {
    project.write('.env', 'A=1\nthe secret of my life\n')
    expect(await sdk(...command.split(' '))).toEqual([
      1,
      `✗ .env:2 is not NAME=value
  a line is NAME=value, a comment after #, or empty; a value of more than one line stands in quotes
  more: sdk explain INVALID_ENV_FILE
`,
    ])
  })

  async function tell(url: string): Promise<unknown> {
    return (await fetch(`${url}/agent/tell`, { method: 'POST' })).json()
  }

  async function sdk(...args: string[]): Promise<[number | null, string]> {
    const running = await startProcess({ command: process.execPath, args: [SDK, ...args], cwd: project.path, env })
    const { code } = await running.exited
    return [code, running.output()]
  }
})
