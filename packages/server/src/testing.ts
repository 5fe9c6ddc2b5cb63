import { createChunkSplitter, fillPath, framingOf, fromEnvelope, isEnvelope, parseRoute } from '@sdk/protocol'
import { createApp, type App } from './app.ts'
import type { RequestAuth } from './auth-seat.ts'
import type { Call } from './http/call.ts'
import { requestCall, toResponse } from './http/fetch-door.ts'
import { createLog } from './log/log.ts'
import { createRouter } from './router.ts'
import { openTestSocket, type TestSocket } from './testing/test-socket.ts'
import { toAuth, type TestUser } from './testing/test-user.ts'

export type { TestSocket, TestUser }

/** What a test call may carry beside its input. */
export interface TestCallOptions {
  /** Values of the path's `:name` parts. @default {} */
  params?: Record<string, string | number>
  /** Parameters of the query. @default {} */
  query?: Record<string, string | number | boolean>
  /** Further request headers. @default {} */
  headers?: Record<string, string>
}

/** An app under test: called by its route strings, with no port. */
export interface TestApp {
  /** Calls a route; a failure rejects with the `ApiError`. */
  call(route: string, input?: unknown, options?: TestCallOptions): Promise<unknown>
  /** An agent by its name. */
  agent(name: string): TestAgent
  /** Connects to a socket: `await app.socket('/ws/chat')`. */
  socket(path: string): Promise<TestSocket>
  /** The same app, called by a user who is signed in. */
  as(user: TestUser): TestApp
  /** Closes the app and its stores. An embedded database that the project opened by itself then keeps no process alive. */
  close(): Promise<void>
}

/** An agent under test. */
export interface TestAgent {
  /** Runs it for its one answer. */
  call(input?: unknown): Promise<unknown>
  /** Runs it for all its chunks. */
  collect(input?: unknown): Promise<unknown[]>
}

/**
 * Puts an app, or the project in a folder, under test: with no port, and a project on an empty database in memory.
 * @example const app = await testApp(import.meta.dirname + '/..')
 */
export async function testApp(subject: App | string): Promise<TestApp> {
  return toTestApp(typeof subject === 'string' ? await openProject(subject) : subject)
}

async function openProject(folder: string): Promise<App> {
  const { loadProject } = await import('./node/load-project.ts')
  const { agents, router } = await loadProject(folder)
  return createApp({ agents, router: router ?? createRouter(), log: createLog({ level: 'warn' }) })
}

function toTestApp(app: App, auth?: RequestAuth): TestApp {
  const toCall = (request: Request): Call => Object.assign(requestCall(request), auth === undefined ? {} : { auth })
  const run = async (route: string, input: unknown, options: TestCallOptions = {}): Promise<unknown[]> => {
    const call = toCall(toRequest(route, input, options))
    return readChunks(toResponse(await app.handle(call), call.method))
  }
  const one = async (route: string, input: unknown, options?: TestCallOptions): Promise<unknown> =>
    (await run(route, input, options))[0]
  return {
    call: one,
    agent: (name) => ({
      call: (input) => one(`POST /agent/${name}`, input),
      collect: (input) => run(`POST /agent/${name}`, input),
    }),
    socket: (path) => openTestSocket(app, () => toCall(new Request(new URL(path, 'http://localhost')))),
    as: (user) => toTestApp(app, toAuth(user)),
    close: () => app.close(),
  }
}

function toRequest(route: string, input: unknown, options: TestCallOptions): Request {
  const { methods, path } = parseRoute(route)
  const url = new URL(fillPath(path, options.params), 'http://localhost')
  for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.set(name, String(value))
  const body = input === undefined ? {} : { body: JSON.stringify(input) }
  const type = input === undefined ? {} : { 'content-type': 'application/json' }
  return new Request(url, { method: methods[0] ?? 'GET', headers: { ...type, ...options.headers }, ...body })
}

async function readChunks(response: Response): Promise<unknown[]> {
  if (!response.ok) throw fromEnvelope(await response.json(), { status: response.status })
  const framing = framingOf(response.headers.get('content-type'))
  if (framing === null) return [await response.json()]
  const splitter = createChunkSplitter(framing)
  const chunks = [...splitter.push(new Uint8Array(await response.arrayBuffer())), ...splitter.end()]
  const last = chunks.at(-1)
  if (isEnvelope(last)) throw fromEnvelope(last, { status: 500 })
  return chunks
}
