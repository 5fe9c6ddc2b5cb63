import type { RequestAuth } from './auth/identity.ts'
import type { CallOutput, ExpandName, ExpandRequired, RouteOf } from '@sdk/protocol'
import { createApp, type App } from './app/app.ts'
import type { ServerRequest } from './http/server-request.ts'
import { fromWebRequest, respond, toResponse } from './app/fetch-adapter.ts'
import { createLog } from './log/log.ts'
import { memoryRuns } from './run/store/memory-run-store.ts'
import type { Router } from './define/router.ts'
import type { AppHandle } from './define/on-start.ts'
import { ErrorObserver } from './testing/error-observer.ts'
import type { RecordedModels } from './testing/recorded-models.ts'
import { runMatrix, type MatrixCell, type MatrixOptions, type MatrixResult } from './testing/run-matrix.ts'
import { toCollected, toAnswerValue, type TestAnswer } from './testing/test-answer.ts'
import {
  toTestRequest,
  type AnyAgent,
  type AnyRoute,
  type TestArguments,
  type TestCallOptions,
  type TestSendArguments,
} from './testing/test-request.ts'
import {
  addRunUser,
  createTestRuns,
  type AnyEvent,
  type AnyRun,
  type EveryCrashArguments,
  type EventValue,
  type SendOptions,
  type TestRun,
  type TestRuns,
} from './testing/test-runs.ts'
import {
  openTestSocket,
  type AnySocketPath,
  type SocketAt,
  type TestClients,
  type TestSocket,
} from './testing/test-socket.ts'
import { toTestAuth, type TestUser } from './testing/test-user.ts'

export type { NextOptions } from './testing/message-queue.ts'
export type { TestCallOptions } from './testing/test-request.ts'
export type { EveryCrashOptions } from './testing/every-crash.ts'
export type { MatrixCell, MatrixOptions, MatrixResult }
export type { AnyEvent, AnyRun, EventValue, EveryCrashArguments, SendOptions, TestRun, TestRuns }
export type { AnyAgent, AnyRoute, AnySocketPath, SocketAt, TestArguments, TestSendArguments, TestSocket, TestUser }

// Set on import rather than in `testApp`, because a test file imports its project before any test runs. Otherwise,
// `src/database.ts` would open the development database or the one set in the shell.
process.env['DATABASE_URL'] = 'pglite://memory'

/**
 * An app under test. Its routes are called without opening a port. It is also an `AppHandle`, so that tests can run
 * background jobs as `onStart` does.
 */
export interface TestApp extends AppHandle {
  /**
   * Calls a route and adds relations and computed values to the items of its result.
   * @example await app.call('GET /api/v1/articles', { query: { expand: ['author', 'commentCount'] } })
   */
  call<R extends AnyRoute, const I extends ExpandName<R>>(
    route: R,
    options: TestCallOptions<NoInfer<R>, I> & ExpandRequired<I>,
  ): Promise<CallOutput<R, I>>
  /**
   * Calls a route and returns its result: JSON as a value, a stream as an array of chunks, an empty body as null, and
   * anything else as a `Blob`. The app's routes determine the types. Rejects with an `ApiError` if the call fails; the
   * `cause` of a 500 is the error thrown by the handler. POST, PUT and PATCH accept a payload followed by options; all
   * other methods accept only options.
   * @example await app.call('GET /api/v1/tasks', { query: { done: false } })
   * @example await app.call('PATCH /api/v1/tasks/:id', { done: true }, { params: { id: 7 } })
   */
  call<R extends AnyRoute>(route: R, ...rest: TestArguments<NoInfer<R>>): Promise<CallOutput<R>>
  /**
   * Calls a route and returns the raw response, whatever its status. Use it to test headers and invalid input. It
   * accepts the same arguments as `call`, with any payload.
   * @example (await app.send('POST /api/v1/tasks', { title: 7 })).status // 400
   */
  send<R extends AnyRoute>(route: R, ...rest: TestSendArguments<NoInfer<R>>): Promise<Response>
  /** Sends a web `Request` and returns the response, for libraries that accept a custom `fetch`. */
  fetch(request: Request): Promise<Response>
  /** Returns an agent by name. */
  agent<Name extends AnyAgent>(name: Name): TestAgent<`POST /agent/${Name}`>
  /**
   * Connects to a socket. Messages have the types that the app's sockets declare.
   * @example
   * const chat = await app.socket('/ws/chat?room=garden')
   * chat.send({ text: 'hello' })
   * await chat.next(({ text }) => text === 'hello')
   */
  socket<Path extends AnySocketPath>(path: Path): Promise<TestSocket<SocketAt<Path>['send'], SocketAt<Path>['receive']>>
  /** The runs of durable agents. */
  readonly runs: TestRuns
  /** Returns the same app, but with all calls made as this signed-in user. */
  as(user: TestUser): TestApp
  /** Closes the app, its sockets and its stores, so that nothing keeps the process alive. */
  close(): Promise<void>
}

/** An agent under test. */
export interface TestAgent<R extends string = string> {
  /** Runs the agent and returns its value, or an array of its chunks. */
  call(...rest: TestArguments<R>): Promise<CallOutput<R>>
  /** Runs the agent and returns all its chunks. A result that is not a stream counts as one chunk. */
  collect(...rest: TestArguments<R>): Promise<RouteOf<R>['output'][]>
  /**
   * Runs the agent with each input and variant, and scores the outputs. Rejects if a call fails. For a project folder,
   * the result is stored in `.sdk/matrix`, and the Matrix page of the workbench compares it with earlier ones.
   * @example
   * const { scores } = await app.agent('poem').matrix({
   *   inputs: [{ subject: 'tea' }, { subject: 'ice' }],
   *   variants: { small: { model: 'gpt-5-mini' }, large: { model: 'gpt-5' } },
   *   scores: ({ lines }) => (lines.length === 2 ? 1 : 0),
   * })
   * assert.ok(scores.small >= 0.9)
   */
  matrix<Variant extends string = 'default'>(
    options: MatrixOptions<RouteOf<R>['input'], CallOutput<R>, Variant>,
  ): Promise<MatrixResult<Variant>>
}

/** Options for `testApp`. */
export interface TestAppOptions {
  /**
   * The folder of recorded model calls, one JSON file each. `fetch` returns these responses, and rejects requests to
   * other machines that are not recorded. With the environment variable `MODELS=record`, it sends and records them.
   * @default none: `fetch` is not changed
   * @example models: `${import.meta.dirname}/models`
   */
  readonly models?: string | undefined
}

/**
 * Creates a test app from an app or a project folder, without opening a port. A project uses an empty in-memory
 * database.
 * @example const app = await testApp(import.meta.dirname + '/..')
 */
export async function testApp(subject: App | string, { models: folder }: TestAppOptions = {}): Promise<TestApp> {
  const models = folder === undefined ? null : (await import('./testing/recorded-models.ts')).openModels(folder)
  try {
    const app = typeof subject === 'string' ? await openTestProject(subject) : subject
    await app.ready()
    const project = typeof subject === 'string' ? subject : null
    const clients: TestClients = new Set()
    return toTestApp(app, { close: () => closeTestApp(app, { clients, models }), clients, project })
  } catch (error) {
    await models?.close()
    throw error
  }
}

async function closeTestApp(
  app: App,
  { clients, models }: { clients: TestClients; models: RecordedModels | null },
): Promise<void> {
  try {
    await Promise.all(Array.from(clients, (client) => client.end()))
    await app.close()
  } finally {
    const unused = (await models?.close()) ?? []
    if (unused.length > 0) app.log.warn('recorded model calls were not used: delete the files', { unused })
  }
}

async function openTestProject(folder: string): Promise<App> {
  const { loadProject } = await import('./node/load-project.ts')
  const { agents, router } = await loadProject(folder)
  await openTables(router)
  return createApp({ agents, router, log: createLog({ level: 'warn' }), runs: memoryRuns() })
}

/** Opens the stores in advance, because in a test, a project's SQL may run before the first resource request. */
async function openTables({ entries }: Router): Promise<void> {
  const stores = entries.flatMap((entry) => (entry.kind === 'resource' ? [entry.resource.store] : []))
  // If a store fails to open, the first request to its resource fails with the same error.
  await Promise.allSettled(stores.map(async (store) => store.ready?.()))
}

/** The properties that all users of a test app share. */
interface SharedTestApp {
  readonly close: () => Promise<void>
  readonly clients: TestClients
  /** The folder of the project, or null for an app that is not a project. */
  readonly project: string | null
}

function toTestApp(app: App, shared: SharedTestApp, auth?: RequestAuth): TestApp {
  const withAuth = (sent: ServerRequest): ServerRequest => Object.assign(sent, auth === undefined ? {} : { auth })
  const toCall = (request: Request): ServerRequest => withAuth(fromWebRequest(request))
  const ask = async (route: string, ...rest: readonly unknown[]): Promise<TestAnswer> => {
    const observer = new ErrorObserver()
    const call = Object.assign(toCall(toTestRequest(route, rest)), { observer })
    return { response: toResponse(await app.handle(call), call.method), observer }
  }
  // Only the public types restrict the route; the implementation accepts any string.
  const call = async (route: string, ...rest: readonly unknown[]): Promise<never> =>
    (await keepAlive(app, ask(route, ...rest).then(toAnswerValue))) as never
  const { log, kv, publish, disconnect, presence, start, touch } = app
  const handle: AppHandle = { log, kv, publish, disconnect, presence, start, touch }
  return {
    ...handle,
    call,
    send: async (route, ...rest) => (await keepAlive(app, ask(route, ...rest))).response,
    fetch: async (request) =>
      keepAlive(
        app,
        respond(request, (sent) => app.handle(withAuth(sent))),
      ),
    agent: (name) => ({
      call: (...rest) => call(`POST /agent/${name}`, ...rest),
      collect: (...rest) => keepAlive(app, ask(`POST /agent/${name}`, ...rest).then(toCollected)),
      async matrix(options) {
        const route = `POST /agent/${name}`
        const result = await runMatrix(route, (input) => call(route, input), options)
        if (shared.project !== null) (await import('./node/recording-files.ts')).storeMatrix(shared.project, result)
        return result
      },
    }),
    socket: (path) => openTestSocket(app, () => toCall(new Request(new URL(path, 'http://localhost'))), shared.clients),
    runs: createTestRuns(app, call, auth),
    as(user) {
      const own = toTestAuth(user)
      addRunUser(app, own)
      return toTestApp(app, shared, own)
    },
    close: shared.close,
  }
}

/** How long a call of an app with durable agents keeps the process running, in ms. */
const KEEP_ALIVE_MS = 30_000

/** Keeps the process running until a call has settled, since the timers of runs do not, and test runners would stop. */
async function keepAlive<T>(app: App, work: Promise<T>): Promise<T> {
  if (app['~runs']() === null) return work
  const timer = setTimeout(() => {}, KEEP_ALIVE_MS)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
