import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { spawnNode, startProcess, type NodeProcess } from '@sdk/test-kit'
import { workbenchHeaders } from '@sdk/workbench'
import { SDK, URL_LINE } from '../build-project.ts'

/** A running `sdk dev` with an open workbench. */
export interface BenchServer extends NodeProcess {
  readonly port: number
  /** The output of the terminal. */
  readonly link: string
  /** The cookie that the link sets. */
  readonly cookie: string
  /** The headers that its own pages send. */
  readonly headers: Readonly<Record<string, string>>
  /** Calls the API of the workbench as its pages do. */
  api(route: string, body?: unknown): Promise<[number, unknown]>
}

/** Starts `sdk dev` in a project, and opens the workbench. */
export async function startBench(
  cwd: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<BenchServer> {
  const started = { file: SDK, args: ['dev', ...args], cwd, env: { PORT: '0', ...env }, ready: URL_LINE }
  const server = await spawnNode(started)
  const link = await server.waitFor(/http:\S+_workbench\?token=[\w-]{43}/)
  const entered = await fetch(link, { redirect: 'manual' })
  const cookie = entered.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const headers = workbenchHeaders(server.url, new URL(link).searchParams.get('token') ?? '')
  return {
    ...server,
    link,
    cookie,
    headers,
    port: Number(new URL(server.url).port),
    async api(route, body) {
      const [method = '', path = ''] = route.split(' ')
      const response = await fetch(`${server.url}/_workbench/api${path}`, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return [response.status, await response.json()]
    },
  }
}

/** Returns the status of a request with a given `Host`, `Origin` and other headers. */
export async function statusOf(
  port: number,
  { path, method = 'GET', headers }: { path: string; method?: string; headers: Record<string, string> },
): Promise<number | undefined> {
  const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

/** Returns the status of a WebSocket handshake; 101 if it was accepted. */
export async function upgradeStatus(
  port: number,
  { path, headers }: { path: string; headers: Record<string, string> },
): Promise<number | undefined> {
  const handshake = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const sent = request({ host: '127.0.0.1', port, path, agent: false, headers: { ...handshake, ...headers } }).end()
  const [response] = (await Promise.race([once(sent, 'response'), once(sent, 'upgrade')])) as [IncomingMessage]
  response.socket.destroy()
  return response.statusCode
}

/** Runs an `sdk` command and waits until it exits. */
export async function sdk(cwd: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const running = await startProcess({ command: process.execPath, args: [SDK, ...args], cwd })
  const { code } = await running.exited
  return { code, output: running.output() }
}
