import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { compileProject, emptyDatabase, startProcess, type NodeProcess, type RunningProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDemoProject, type DemoProject } from './demo-project.ts'
import { SDK, startDev } from './mistakes/terminal.ts'
import { sdkHere } from './sdk-here.ts'
import { soon } from './soon.ts'

const WHO = `import { createAgent } from '@sdk/server'

export default createAgent('who', { handler: async (ctx) => (await ctx.auth?.getUser())?.name ?? 'nobody' })
`

/** Counts until its caller disconnects, and writes a file when it ends. */
const FOREVER = `import { writeFileSync } from 'node:fs'
import { createAgent } from '@sdk/server'

export default createAgent('forever', {
  async *handler(ctx) {
    try {
      for (let n = 1; ; n++) {
        yield { n }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    } finally {
      writeFileSync('ended.txt', String(ctx.signal.aborted))
    }
  },
})
`

const RUN_LINE = /^to see this run: sdk runs \w{18}\n/m

describe('while sdk dev is running,', () => {
  const project = createDemoProject()
  let server: NodeProcess

  beforeAll(async () => {
    project.remove('src/api')
    project.write('src/agent/who/index.ts', WHO)
    project.write('src/agent/forever/index.ts', FOREVER)
    server = await startDev(project)
    await server.waitFor(/ready in/)
  })
  afterAll(() => server.kill())

  it('sdk add writes an agent, a route and a socket that sdk dev serves', async () => {
    expect(await sdkProcess(project, 'add', 'agent', 'daily-report')).toEqual([
      0,
      '+ src/agent/daily-report/agent.ts\n+ src/agent/daily-report/index.ts\n  POST /agent/daily-report is available in sdk dev\n',
    ])
    await sdk(project, 'add', 'route', 'reports')
    await sdk(project, 'add', 'socket', 'chat')
    await soon(async () => expect(await get('/api/reports/7')).toEqual([200, '{"id":"7"}']))
    await soon(() =>
      expect(project.read('src/sdk-routes.d.ts')).toContain(`'/ws/chat': typeof import('./api/chat.ts')`),
    )
    const [code, output] = await sdk(project, 'run', 'daily-report', '{"text":"hello"}')
    expect([code, JSON.parse(output)]).toEqual([0, { text: 'hello' }])
  })

  it('sdk run calls the dev server, prints the run id, and prints chunks as a stream or an array', async () => {
    const running = await start(project, 'run', 'count', '{"to":1}')
    const id = /sdk runs (\w+)/.exec(await running.waitFor(RUN_LINE))?.[1] ?? ''
    await running.exited
    expect(JSON.parse((await sdkProcess(project, 'runs', id, '--json'))[1])).toMatchObject({ id, caller: 'sdk run' })
    expect(await sdk(project, 'run', 'count', '{"to":2}', '--stream')).toEqual([0, '{"n":1}\n{"n":2}\n'])
    const [, output] = await sdk(project, 'run', 'count', '{"to":2}')
    expect(JSON.parse(output)).toEqual([{ n: 1 }, { n: 2 }])
    await server.waitFor(/counting/)
  })

  it('sdk run --as calls as a user and requires the pass', async () => {
    expect(await sdk(project, 'run', 'who', '{}', '--as', 'ada@example.com')).toEqual([0, '"ada"\n'])
    expect(await sdk(project, 'run', 'who', '{}')).toEqual([0, '"nobody"\n'])
    const headers = { 'x-sdk-as': 'ada@example.com', 'x-sdk-pass': 'guessed' }
    expect((await fetch(`${server.url}/agent/who`, { method: 'POST', headers })).status).toBe(403)
    const [code, output] = await sdk(project, 'run', 'who', '{}', '--as', 'a@b.c', '--url', 'http://127.0.0.1:1')
    expect([code, output]).toEqual([2, expect.stringContaining('is another server')])
  })

  it.each(['', '?raw', '?import', '?url', '?import&raw', '?x=.svg'])('pages cannot read .sdk%s', async (query) => {
    const pass = (JSON.parse(project.read('.sdk/dev.json')) as { pass: string }).pass
    for (const prefix of ['/@fs', '/@fs/..', '']) {
      const [, text] = await get(`${prefix}${project.path}/.sdk/dev.json${query}`)
      expect(text).not.toContain(pass)
    }
    expect((await get(`/@fs${project.path}/src/web/App.tsx`))[0]).toBe(200)
  })

  it('sdk run prints the validation errors', async () => {
    const [code, output] = await sdk(project, 'run', 'daily-report', '{}')
    expect(code).toBe(1)
    expect(output).toMatch(/^✗ INVALID_REQUEST \(400\): .*\n {2}body \/text: .*\(REQUIRED\)\n {2}request \S+\n/)
    const [, json] = await sdk(project, 'run', 'daily-report', '{}', '--json')
    expect(JSON.parse(json)).toMatchObject({ error: { code: 'CALL_FAILED', answer: { code: 'INVALID_REQUEST' } } })
  })

  it('Ctrl-C aborts the handler', async () => {
    const running = await start(project, 'run', 'forever', '--stream')
    await running.waitFor(/"n":3/)
    expect(await running.stop('SIGINT')).toEqual({ code: 130, signal: null })
    await soon(() => expect(project.read('ended.txt')).toBe('true'))
    project.remove('ended.txt')
  })

  it('changed settings print a hint to restart', async () => {
    project.write('sdk.config.ts', 'export default { metrics: true }\n')
    await server.waitFor(/sdk\.config\.ts has changed: restart sdk dev/)
    project.remove('sdk.config.ts')
  })

  it('sdk run loads the project itself after sdk dev has stopped, and waits for its handlers', async () => {
    await server.stop('SIGINT')
    expect(existsSync(join(project.path, '.sdk/dev.json'))).toBe(false)
    expect(await sdk(project, 'run', 'count', '{"to":2}', '--stream')).toEqual([
      0,
      expect.stringContaining('{"n":2}\n'),
    ])
    const running = await start(project, 'run', 'forever', '--stream')
    await running.waitFor(/"n":3/)
    expect((await running.stop('SIGINT')).code).toBe(130)
    expect(project.read('ended.txt')).toBe('true')
  })

  async function get(path: string): Promise<[number, string]> {
    const response = await fetch(server.url + path)
    return [response.status, await response.text()]
  }
})

describe('sdk run --as in a project with users', () => {
  it('calls as the user with this email address', async () => {
    const project = createDemoProject()
    project.remove('src/web')
    project.write('src/agent/who/index.ts', WHO)
    project.write(
      'src/api/index.ts',
      `import { createAuth, createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { createRouter } from '@sdk/server'

const auth = createAuth({ connectionString: process.env['DATABASE_URL'] })

export default createRouter()
  .use('/api/*', createSessionMiddleware(auth))
  .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
`,
    )
    const server = await startDev(project, { DATABASE_URL: await emptyDatabase() })
    await server.waitFor(/ready in/)
    const signUp = await fetch(`${server.url}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url },
      body: JSON.stringify({ name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery' }),
    })
    expect(signUp.status).toBe(200)
    expect(await sdk(project, 'run', 'who', '{}', '--as', 'ada@example.com')).toEqual([0, '"Ada Lovelace"\n'])
    const [code, output] = await sdk(project, 'run', 'who', '{}', '--as', 'bob@example.com')
    expect([code, output]).toEqual([1, expect.stringContaining('UNKNOWN_USER (404): user bob@example.com not found')])
    await server.kill()
  })
})

describe('in a project,', () => {
  const project = createDemoProject()

  it('sdk doctor reports problems and fixes the safe ones', async () => {
    project.write(
      'tsconfig.json',
      '{ "compilerOptions": { "module": "preserve", "types": ["node"], "skipLibCheck": true } }',
    )
    const [code, before] = await sdk(project, 'doctor', '--json')
    expect([code, codesIn(before)]).toEqual([
      0,
      ['TSCONFIG_OPTION', 'TSCONFIG_OPTION', 'TSCONFIG_OPTION', 'TSCONFIG_OPTION', 'ROUTE_TYPES_STALE'],
    ])
    const [, fixed] = await sdk(project, 'doctor', '--fix')
    expect(fixed).toContain('✓ tsconfig.json: strict is not true')
    expect(await sdk(project, 'doctor')).toEqual([0, 'no problems found\n'])
    project.edit('src/agent/hello/index.ts', 'handler:', 'handler::')
    const [failed, broken] = await sdk(project, 'doctor')
    expect([failed, broken]).toEqual([
      1,
      expect.stringMatching(/^✗ src\/agent\/hello\/index\.ts:4:\d+: .* LOAD_FAILED\n/),
    ])
    project.edit('src/agent/hello/index.ts', 'handler::', 'handler:')
  })

  it('sdk types --expand writes types that do not import server code', async () => {
    await sdk(project, 'add', 'agent', 'daily-report')
    await sdk(project, 'add', 'socket', 'chat')
    project.write('web/tsconfig.json', '{ "extends": "../tsconfig.json", "files": ["use.ts", "sdk-routes.d.ts"] }')
    project.write(
      'web/use.ts',
      `import type { RouteOf, SocketOf } from '@sdk/protocol'

export const good: RouteOf<'POST /agent/daily-report'>['input'] = { text: 'hello' }
export const message: SocketOf<'/ws/chat'>['receive'] = { from: 'Ada', text: 'hello' }
// @ts-expect-error: the types are known, and not any
export const bad: RouteOf<'POST /agent/daily-report'>['input'] = { text: 1 }
`,
    )
    const [code, output] = await sdk(project, 'types', '--expand', '--out', 'web/sdk-routes.d.ts')
    expect([code, output]).toEqual([0, expect.stringMatching(/web\/sdk-routes\.d\.ts written: \d+ routes\n$/)])
    expect(project.read('web/sdk-routes.d.ts')).not.toContain('src/')
    expect(await compileProject(join(project.path, 'web'))).toBe('')
  })

  it('sdk openapi prints or writes the document', async () => {
    const [, output] = await sdkProcess(project, 'openapi')
    expect(JSON.parse(output)).toMatchObject({ openapi: expect.stringMatching(/^3\.1/), info: { title: 'demo' } })
    expect(await sdk(project, 'openapi', '--out', 'api.json')).toEqual([0, expect.stringContaining('api.json written')])
    expect(JSON.parse(project.read('api.json'))).toEqual(JSON.parse(output))
  })

  it('sdk info prints versions without secrets', async () => {
    const [code, output] = await sdkProcess(project, 'info', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(output)).toMatchObject({
      node: process.versions.node,
      database: 'postgres',
      packages: { vite: expect.stringMatching(/^\d/), '@sdk/server': expect.any(String) },
    })
    expect(output).not.toContain('hunter2')
  })

  it('sdk explain prints the cause and the fix of an error code', async () => {
    const [code, output] = await sdkProcess(project, 'explain', 'load_failed')
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/^LOAD_FAILED\n.+\n\nWhy: .+\nFix: .+\n\n {4}export default/),
    ])
  })
})

function codesIn(json: string): string[] {
  return (JSON.parse(json) as { code: string }[]).map(({ code }) => code)
}

function start({ path }: DemoProject, ...args: string[]): Promise<RunningProcess> {
  return startProcess({ command: process.execPath, args: [SDK, ...args], cwd: path })
}

/** Returns the exit code and the output. */
async function sdk({ path }: DemoProject, ...args: string[]): Promise<[number, string]> {
  const [code, output] = await sdkHere(path, args, { PORT: '0' })
  // The output includes standard error; the line with the run id is not part of the response.
  return [code, output.replace(RUN_LINE, '')]
}

/** Like `sdk`, in a separate process. Each command is tested once this way. */
async function sdkProcess({ path }: DemoProject, ...args: string[]): Promise<[number | null, string]> {
  const env = { DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1/x' }
  const running = await startProcess({ command: process.execPath, args: [SDK, ...args], cwd: path, env })
  return [(await running.exited).code, running.output()]
}
