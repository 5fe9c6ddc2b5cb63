import { ApiError, createAgent, createApp, createLog, serve } from '@sdk/server'
import { createTerminalStyle } from '@sdk/server/node'
import { openRecording } from '@sdk/workbench'
import { beforeAll, describe, expect, it } from 'vitest'
import { fileProject } from '../project.test.fixture.ts'
import { runCommandLine } from '../run-command-line.ts'

const { root } = fileProject({ 'src/agent/ok/index.ts': '' })

beforeAll(async () => {
  const agents = [
    createAgent('ok', {
      handler(ctx, input) {
        ctx.log.info('working', { part: 1 })
        return { got: input }
      },
    }),
    createAgent('broken', {
      handler() {
        throw new Error('it is broken')
      },
    }),
    createAgent('closed', {
      handler() {
        throw new ApiError('FORBIDDEN', 'not for you')
      },
    }),
  ]
  const recording = openRecording({ root })
  const app = createApp({ agents, log: createLog({ write: () => {} }) })
  const server = await serve(recording.recordApp(app), { port: 0, signals: false })
  const headers = { 'content-type': 'application/json', 'user-agent': 'tester/1' }
  for (const name of ['ok', 'broken', 'closed'])
    await fetch(`${server.url}/agent/${name}`, { method: 'POST', headers, body: '{"text":"hi"}' }).then((one) =>
      one.text(),
    )
  await server.close()
  await recording.close()
})

describe('sdk runs', () => {
  it('lists recorded runs, newest first', async () => {
    const { out } = await sdk(['runs'])
    const [head, ...rows] = out.trimEnd().split('\n')
    expect(head).toMatch(/^id +time +state +route +ms +caller +identity$/)
    expect(rows).toEqual([
      expect.stringMatching(/^\w{18} {2}[\d-]+ [\d:]+ {2}refused 403 +POST \/agent\/closed +\d+ +tester +anonymous$/),
      expect.stringMatching(/^\w{18} {2}[\d-]+ [\d:]+ {2}failed 500 +POST \/agent\/broken +\d+ +tester +anonymous$/),
      expect.stringMatching(/^\w{18} {2}[\d-]+ [\d:]+ {2}done +POST \/agent\/ok +\d+ +tester +anonymous$/),
    ])
  })

  it.each([
    [['--route', 'ok'], ['POST /agent/ok']],
    [['--route', 'POST /agent/closed'], ['POST /agent/closed']],
    [['--status', 'failed'], ['POST /agent/broken']],
    [['--status', '403'], ['POST /agent/closed']],
    [
      ['--limit', '2'],
      ['POST /agent/closed', 'POST /agent/broken'],
    ],
  ])('filters by %j', async (options, routes) => {
    expect((await listed(options)).map(({ route }) => route)).toEqual(routes)
  })

  it('shows the input, the output and the logs of a run', async () => {
    const { out } = await sdk(['runs', await idOf('ok')])
    expect(out).toContain('POST /agent/ok  done 200')
    expect(out).toContain('Input\n  {\n    "text": "hi"\n  }\n')
    expect(out).toContain('Output\n  {\n    "got": {\n')
    expect(out).toMatch(/Logs\n {2}\+\d+ ms info working \{"part":1\}\n/)
    expect(out).not.toContain('Error')
  })

  it('shows the thrown error', async () => {
    const { out } = await sdk(['runs', await idOf('broken')])
    expect(out).toContain('POST /agent/broken  failed 500')
    expect(out).toContain('Error\n  Error: it is broken\n')
  })

  it('exits with code 2 for an unknown run and for an invalid limit or status', async () => {
    expect(await sdk(['runs', 'nope'])).toMatchObject({ code: 2, err: expect.stringContaining('run nope not found') })
    expect(await sdk(['runs', '--limit', '0'])).toMatchObject({ code: 2, err: expect.stringContaining('1 to 500') })
    const misspelled = { code: 2, err: expect.stringContaining('did you mean --status failed?') }
    expect(await sdk(['runs', '--status', 'faild'])).toMatchObject(misspelled)
    expect(await sdk(['runs', '--status', 'running'])).toMatchObject({ code: 0, err: 'no matching runs\n' })
  })

  it('deletes runs', async () => {
    expect(await sdk(['runs', '--clear'])).toMatchObject({ code: 0, out: '3 runs deleted\n' })
    expect(await sdk(['runs'])).toMatchObject({ code: 0, out: '', err: expect.stringContaining('no runs yet') })
  })
})

async function listed(options: readonly string[]): Promise<{ id: string; route: string }[]> {
  return JSON.parse((await sdk(['runs', '--json', ...options])).out) as { id: string; route: string }[]
}

async function idOf(name: string): Promise<string> {
  return (await listed(['--route', name]))[0]?.id ?? ''
}

async function sdk(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', '']
  const terminal = {
    out: (line = '') => void (out += `${line}\n`),
    write: (text: string) => void (out += text),
    err: (line = '') => void (err += `${line}\n`),
    paint: createTerminalStyle(false),
  }
  const code = await runCommandLine(args, { cwd: root, terminal })
  return { code, out, err }
}
