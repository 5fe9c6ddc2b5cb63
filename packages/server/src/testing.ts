import type { RequestAuth } from './auth/identity.ts'
import type { CallOutput, RouteOf } from '@sdk/protocol'
import { createApp, type App } from './app/app.ts'
import type { ServerRequest } from './http/server-request.ts'
import { fromWebRequest, toResponse } from './app/fetch-adapter.ts'
import { createLog } from './log/log.ts'
import type { Router } from './define/router.ts'
import type { AppHandle } from './define/on-start.ts'
import { ErrorObserver } from './testing/error-observer.ts'
import { toCollected, toAnswerValue, type TestAnswer } from './testing/test-answer.ts'
import {
  toTestRequest,
  type AnyAgent,
  type AnyRoute,
  type TestArguments,
  type TestSendArguments,
} from './testing/test-request.ts'
import { openTestSocket, type AnySocketPath, type TestSocket, type SocketAt } from './testing/test-socket.ts'
import { toTestAuth, type TestUser } from './testing/test-user.ts'

export type { NextOptions } from './testing/message-queue.ts'
export type { TestCallOptions } from './testing/test-request.ts'
export type { AnyAgent, AnyRoute, AnySocketPath, SocketAt, TestArguments, TestSendArguments, TestSocket, TestUser }

// Already here, and not in `testApp`: what a test imports of its project is loaded before it runs, and `src/database.ts`
// would be the database of development, or the one that the shell names.
process.env['DATABASE_URL'] = 'pglite://memory'

/**
 * An app under test: called by its route strings, with no port. It is an `AppHandle` too, so that a job can be called as
 * `onStart` would.
 */
export interface TestApp extends AppHandle {
  /**
   * Calls a route, typed as the app's routes are, and gives what it answers: JSON as its value, a stream as the list of
   * its chunks, an empty body as null, anything else as a `Blob`. A failure rejects with the `ApiError`; the `cause` of
   * a 500 is what the handler threw.
   * POST, PUT and PATCH take the payload, then options; all others take options alone.
   * @example await app.call('GET /api/v1/tasks', { query: { done: false } })
   * @example await app.call('PATCH /api/v1/tasks/:id', { done: true }, { params: { id: 7 } })
   */
  call<R extends AnyRoute>(route: R, ...rest: TestArguments<NoInfer<R>>): Promise<CallOutput<R>>
  /**
   * The answer as it is, whatever its status: for headers, and for what the types forbid. The arguments are those of
   * `call`, with any payload.
   * @example (await app.send('POST /api/v1/tasks', { title: 7 })).status // 400
   */
  send<R extends AnyRoute>(route: R, ...rest: TestSendArguments<NoInfer<R>>): Promise<Response>
  /** An agent by its name. */
  agent<Name extends AnyAgent>(name: Name): TestAgent<`POST /agent/${Name}`>
  /**
   * Connects to a socket, typed as the app's sockets are.
   * @example
   * const chat = await app.socket('/ws/chat?room=garden')
   * chat.send({ text: 'hello' })
   * await chat.next(({ text }) => text === 'hello')
   */
  socket<Path extends AnySocketPath>(path: Path): Promise<TestSocket<SocketAt<Path>['send'], SocketAt<Path>['receive']>>
  /** The same app, called by a user who is signed in. */
  as(user: TestUser): TestApp
  /** Closes the app and its stores. An embedded database that the project opened by itself then keeps no process alive. */
  close(): Promise<void>
}

/** An agent under test. */
export interface TestAgent<R extends string = string> {
  /** Runs it for its answer: a value, or the list of its chunks. */
  call(...rest: TestArguments<R>): Promise<CallOutput<R>>
  /** Runs it for all its chunks; one that does not stream has one. */
  collect(...rest: TestArguments<R>): Promise<RouteOf<R>['output'][]>
}

/**
 * Puts an app, or the project in a folder, under test: with no port, and a project on an empty database in memory.
 * @example const app = await testApp(import.meta.dirname + '/..')
 */
export async function testApp(subject: App | string): Promise<TestApp> {
  const app = typeof subject === 'string' ? await openTestProject(subject) : subject
  await app.ready()
  return toTestApp(app)
}

async function openTestProject(folder: string): Promise<App> {
  const { loadProject } = await import('./node/load-project.ts')
  const { agents, router } = await loadProject(folder)
  await openTables(router)
  return createApp({ agents, router, log: createLog({ level: 'warn' }) })
}

/** SQL of the project may come before the first call of a resource, as it never does once a server is ready. */
async function openTables({ entries }: Router): Promise<void> {
  const stores = entries.flatMap((entry) => (entry.kind === 'resource' ? [entry.resource.store] : []))
  // What fails, fails again at the first call of its resource.
  await Promise.allSettled(stores.map(async (store) => store.ready?.()))
}

function toTestApp(app: App, auth?: RequestAuth): TestApp {
  const toCall = (request: Request): ServerRequest =>
    Object.assign(fromWebRequest(request), auth === undefined ? {} : { auth })
  const ask = async (route: string, ...rest: readonly unknown[]): Promise<TestAnswer> => {
    const observer = new ErrorObserver()
    const call = Object.assign(toCall(toTestRequest(route, rest)), { observer })
    return { response: toResponse(await app.handle(call), call.method), observer }
  }
  // Types are for who calls; here a route is any string.
  const call = async (route: string, ...rest: readonly unknown[]): Promise<never> =>
    (await toAnswerValue(await ask(route, ...rest))) as never
  const { log, kv, publish, disconnect, presence } = app
  const handle: AppHandle = { log, kv, publish, disconnect, presence }
  return {
    ...handle,
    call,
    send: async (route, ...rest) => (await ask(route, ...rest)).response,
    agent: (name) => ({
      call: (...rest) => call(`POST /agent/${name}`, ...rest),
      collect: async (...rest) => toCollected(await ask(`POST /agent/${name}`, ...rest)),
    }),
    socket: (path) => openTestSocket(app, () => toCall(new Request(new URL(path, 'http://localhost')))),
    as: (user) => toTestApp(app, toTestAuth(user)),
    close: () => app.close(),
  }
}
