import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDatabase, spawnNode, startProcess, type NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { choose } from '../chaos/mode.ts'
import { SDK, URL_LINE } from './build-project.ts'
import { createDemoProject } from './demo-project.ts'
import { sdkHere } from './sdk-here.ts'
import { echoDuring, sendDuring } from './workers/clients.ts'

const WORKERS = choose(4, 2)
const KILLS = choose(60, 2)
const REPLACEMENTS = choose(10, 1)
const CLIENTS = choose(50, 10)
const SOCKETS = choose(200, 20)
const STREAMS = choose(20, 4)

const API = `import { appendFileSync } from 'node:fs'
import { createRouter, createSocket } from '@sdk/server'
import { version } from './version.ts'

const note = (line: string): void => appendFileSync(String(process.env['NOTES']), line + '\\n')

export default createRouter()
  .on('GET /api/process', () => ({ pid: process.pid, version }))
  .onStart(() => {
    note('start ' + process.pid)
    return () => note('stop ' + process.pid)
  })
  .socket('/ws/echo', createSocket({ message: (peer, n) => peer.send(n) }))
`

const COUNT = `import { createAgent } from '@sdk/server'

export default createAgent('count', {
  async *handler(_ctx, input: unknown) {
    const { to, pause } = input as { to: number; pause: number }
    for (let n = 1; n <= to; n++) {
      yield { n }
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  },
})
`

const CONFIG = `export default { rateLimit: false, metrics: true, limits: { socket: { perAddress: ${SOCKETS + 4} } } }\n`

/** Throws in a server, but not while `sdk build` loads it. */
const BROKEN = `export const version = 99
if (process.env['NOTES'] !== undefined) throw new Error('the new code is broken')
`

const project = createDemoProject()
const notes = join(project.path, 'notes.txt')
let server: NodeProcess
let env: Record<string, string>

async function build(): Promise<void> {
  const [code, output] = await sdkHere(project.path, ['build'])
  if (code !== 0) throw new Error(output)
}

beforeAll(async () => {
  appendFileSync(notes, '')
  project.write('src/api/index.ts', API)
  project.write('src/api/version.ts', 'export const version = 1\n')
  project.write('src/agent/count/index.ts', COUNT)
  project.write('sdk.config.ts', CONFIG)
  await build()
  env = { PORT: '0', DATABASE_URL: await createDatabase(), NOTES: notes }
  server = await spawnNode({
    file: SDK,
    args: ['start', '--workers', String(WORKERS)],
    cwd: project.path,
    env,
    ready: URL_LINE,
  })
  await untilWorkers(WORKERS)
})
afterAll(() => server.kill())

/** Returns the log lines with a message. */
function linesOf(message: string): Record<string, unknown>[] {
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line.includes(`"message":"${message}"`))
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

async function untilWorkers(count: number): Promise<void> {
  await vi.waitUntil(() => linesOf('listening').length >= count, { timeout: 60_000 })
}

interface Answer {
  readonly pid: number
  readonly version: number
}

async function readProcess(): Promise<Answer> {
  const response = await fetch(`${server.url}/api/process`, { headers: { connection: 'close' } })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

/** Reads a stream and returns its numbers. */
async function readStream(to: number, pause: number): Promise<number[]> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ to, pause })
  const response = await fetch(`${server.url}/agent/count`, { method: 'POST', headers, body })
  const lines = (await response.text()).trim().split('\n')
  return lines.map((line) => (JSON.parse(line) as { n: number }).n)
}

describe('sdk start --workers', () => {
  it('names the worker in each line of the log', () => {
    expect(
      linesOf('listening')
        .map(({ worker }) => worker)
        .toSorted((a, b) => Number(a) - Number(b)),
    ).toEqual(Array.from({ length: WORKERS }, (_, index) => index + 1))
  })

  it('serves requests with all workers', async () => {
    await expect
      .poll(
        async () => new Set((await Promise.all(Array.from({ length: 20 }, readProcess))).map(({ pid }) => pid)).size,
      )
      .toBe(WORKERS)
  })

  it('runs onStart once', () => {
    expect(readFileSync(notes, 'utf8').match(/start/g)).toHaveLength(1)
  })

  it('serves the metrics of all workers', async () => {
    const read = async (): Promise<string> => (await fetch(`${server.url}/metrics`)).text()
    const total = (text: string): number =>
      Number(/^http_requests_total\{route="GET \/api\/process",method="GET",status="2xx"\} (\d+)$/m.exec(text)?.[1])
    const before = total(await read())
    await Promise.all(Array.from({ length: 40 }, readProcess))
    await expect.poll(async () => total(await read()) - before).toBe(40)
    expect((await read()).match(/^process_resident_memory_bytes\{worker="\d"\}/gm)).toHaveLength(WORKERS)
  })

  it('counts the sockets of all workers toward the limit of an address', async () => {
    const open = (): Promise<WebSocket | null> => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws/echo`)
      return new Promise((resolve) => socket.on('open', () => resolve(socket)).on('error', () => resolve(null)))
    }
    const opened = (await Promise.all(Array.from({ length: SOCKETS + 4 }, open))).filter((socket) => socket !== null)
    await expect
      .poll(async () => {
        const more = await open()
        if (more !== null) opened.push(more)
        return more
      })
      .toBeNull()
    expect(opened.length).toBeLessThan(SOCKETS + 4 + 2 * WORKERS)
    await Promise.all(opened.map((socket) => new Promise((resolve) => socket.on('close', resolve).close())))
  })

  it('restarts killed workers, whose requests alone fail, and moves onStart to another one', async () => {
    const { sent, failures } = await sendDuring({ url: server.url, count: CLIENTS }, async () => {
      for (let kills = 1; kills <= KILLS; kills++) {
        const starts = linesOf('listening').length
        // The worker that runs onStart first.
        const pid =
          kills === 1 ? Number(/start (\d+)/.exec(readFileSync(notes, 'utf8'))?.[1]) : (await readProcess()).pid
        process.kill(pid, 'SIGKILL')
        await untilWorkers(starts + 1)
      }
    })
    expect(sent).toBeGreaterThan(KILLS)
    expect(failures.length).toBeLessThanOrEqual(KILLS * CLIENTS)
    for (const failure of failures) expect(failure).toMatch(/ECONNRESET|socket hang up/)
    expect(server.hasEnded()).toBe(false)
    await expect.poll(() => readFileSync(notes, 'utf8').match(/start/g)?.length).toBeGreaterThanOrEqual(2)
  })

  it('replaces all workers on SIGHUP without a failed request, a cut stream, a lost message or a missing script', async () => {
    const streams = Array.from({ length: STREAMS }, () => readStream(50, 100))
    let failures: readonly string[] = []
    const replace = async (): Promise<void> => {
      for (let version = 2; version <= REPLACEMENTS + 1; version++) {
        const page = await (await fetch(server.url, { headers: { accept: 'text/html' } })).text()
        const [, script = ''] = /src="(\/assets\/.+?\.js)"/.exec(page) ?? []
        const replaced = linesOf('replaced workers').length
        project.write('src/api/version.ts', `export const version = ${version}\n`)
        project.edit('src/web/App.tsx', 'Hello', 'Hello, hello')
        await build()
        server.signal('SIGHUP')
        await expect.poll(() => linesOf('replaced workers').length, { timeout: 120_000 }).toBe(replaced + 1)
        expect((await readProcess()).version).toBe(version)
        expect((await fetch(server.url + script)).status).toBe(200)
      }
    }
    const { url } = server
    const echoes = await echoDuring({ url, count: SOCKETS }, async () => {
      ;({ failures } = await sendDuring({ url, count: CLIENTS }, replace))
    })
    expect(failures).toEqual([])
    for (const { sent, received } of echoes) expect(received).toEqual(Array.from({ length: sent }, (_, n) => n))
    for (const numbers of await Promise.all(streams))
      expect(numbers).toEqual(Array.from({ length: 50 }, (_, n) => n + 1))
  })

  it('stops workers that are still starting', async () => {
    const args = ['start', '--workers', '2']
    const other = await spawnNode({ file: SDK, args, cwd: project.path, env, ready: URL_LINE })
    expect(await other.stop('SIGTERM')).toEqual({ code: 0, signal: null }) // the second worker does not listen yet
  })

  it('keeps the old workers if a new one does not start', async () => {
    const { version } = await readProcess()
    project.write('src/api/version.ts', BROKEN)
    await build()
    server.signal('SIGHUP')
    await server.waitFor(/replacement stopped: a new worker did not start/)
    await server.waitFor(/the new code is broken/)
    expect((await readProcess()).version).toBe(version)
  })

  it('ends with the code of the workers on SIGTERM', async () => {
    expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null })
    const [starts, stops] = [/start/g, /stop/g].map((one) => readFileSync(notes, 'utf8').match(one)?.length ?? 0)
    expect(stops).toBeLessThanOrEqual(starts ?? 0)
  })

  it.each([
    [{ DATABASE_URL: undefined }, 'several workers need an engine that they share'],
    [{ DATABASE_URL: 'pglite://memory' }, 'several workers cannot use the embedded database'],
    [{ WORKERS: 'many' }, 'the number of workers must be auto or a number from 1 to 128, got "many"'],
  ])('refuses to start with %o', async (other, message) => {
    const args = [SDK, 'start', ...('WORKERS' in other ? [] : ['--workers', '2'])]
    const failed = await startProcess({ command: process.execPath, args, cwd: project.path, env: { ...env, ...other } })
    expect((await failed.exited).code).toBe(1)
    expect(failed.output()).toContain(message)
  })

  it('ends if the first worker does not start', async () => {
    const args = [SDK, 'start', '--workers', '2']
    const failed = await startProcess({ command: process.execPath, args, cwd: project.path, env })
    expect((await failed.exited).code).toBe(1)
    expect(failed.output()).toContain('the new code is broken')
  })
})
