import { expect, vi } from 'vitest'
import { z } from 'zod'
import { parseRunPosition, type Run } from '@sdk/protocol'
import {
  createAgent,
  createApp,
  createLog,
  createRouter,
  memoryRuns,
  type Agent,
  type App,
  type RunStore,
  type SessionMiddleware,
  type User,
} from '../index.ts'

/** An app with durable agents, and functions that call it. */
export interface RunApp {
  readonly app: App
  readonly store: RunStore
  readonly lines: Record<string, unknown>[]
  /** Sends a request. `user` is the id of the signed-in user. */
  send(route: string, options?: RunRequest): Promise<Response>
  /** Returns the JSON of a response. */
  json(route: string, options?: RunRequest): Promise<{ readonly status: number; readonly body: unknown }>
  run(path: string, user?: string): Promise<Run>
}

/** A request. */
export interface RunRequest {
  readonly body?: unknown
  readonly user?: string
  readonly headers?: Record<string, string>
}

interface RunAppOptions {
  readonly hasSession?: boolean
  /** Called before a user is looked up by id. */
  readonly beforeLookup?: () => Promise<void>
}

/** The users who were deleted. */
export const deleted: Set<string> = new Set()

const toUser = (id: string): User => ({
  id,
  name: id,
  email: `${id}@example.test`,
  emailVerified: true,
  image: null,
  createdAt: '',
  updatedAt: '',
})

/** Creates an app. A caller signs in with the header `authorization: <user id>`, unless the app has no sessions. */
function createRunApp(
  agents: readonly Agent[],
  store: RunStore,
  { hasSession = true, beforeLookup = async () => {} }: RunAppOptions,
): RunApp {
  const lines: Record<string, unknown>[] = []
  const log = createLog({ level: 'debug', format: 'json', write: (text) => lines.push(JSON.parse(text) as never) })
  const session: SessionMiddleware = Object.assign((_ctx: unknown, next: () => never) => next(), {
    authenticate(headers: { get(name: string): string | null }) {
      const id = headers.get('authorization')
      if (id === null) return null
      const own = { id: 's', userId: id, expiresAt: '9999-12-31T00:00:00.000Z' }
      return { getUser: () => Promise.resolve(toUser(id)), session: own, via: 'bearer' as const }
    },
    getUser: async (id: string) => (await beforeLookup(), deleted.has(id) ? null : toUser(id)),
  }) as never
  const router = hasSession ? createRouter().use('/agent/*', session) : createRouter()
  const app = createApp({ agents, router, log, runs: store, rateLimit: false }) as App
  const send: RunApp['send'] = (route, { body, user, headers = {} } = {}) => {
    const [method = '', path = ''] = route.split(' ')
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const auth = user === undefined ? {} : { authorization: user }
    return app.fetch(
      new Request(`http://localhost${path}`, { method, headers: { ...type, ...auth, ...headers }, ...sent }),
    )
  }
  return {
    app,
    store,
    lines,
    send,
    async json(route, options) {
      const response = await send(route, options)
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
    },
    run: async (path, user) => (await (await send(`GET ${path}`, user === undefined ? {} : { user })).json()) as Run,
  }
}

/** Reads the values of an NDJSON response. */
export async function readLines(response: Response): Promise<unknown[]> {
  const text = await response.text()
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown)
}

/** Returns the position in a response's header. */
export function positionOf(response: Response): ReturnType<typeof parseRunPosition> {
  return parseRunPosition(response.headers.get('run-position'))
}

/** Returns a promise and the function that resolves it. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let resolveOpened = (): void => {}
  const opened = new Promise<void>((resolve) => (resolveOpened = resolve))
  return { opened, open: () => resolveOpened() }
}

const apps: RunApp[] = []

/** Creates an app that is closed after the test. */
export function open(agents: readonly unknown[], store: RunStore = memoryRuns(), options: RunAppOptions = {}): RunApp {
  const app = createRunApp(agents as readonly Agent[], store, options)
  apps.push(app)
  return app
}

/** Closes the apps of a test. */
export async function closeAll(): Promise<void> {
  await Promise.all(apps.splice(0).map(({ app }) => app.close()))
  deleted.clear()
}

/** A store whose clock can be advanced, with the processes that have joined it. */
export function createClockStore(): { store: RunStore; processes: string[]; advance(ms: number): void } {
  let offset = 0
  const store = memoryRuns({ now: () => Date.now() + offset })
  const processes: string[] = []
  const join = store.join.bind(store)
  store.join = (process, onNews) => (processes.push(process), join(process, onNews))
  return { store, processes, advance: (ms) => void (offset += ms) }
}

/** Waits until a run has ended. */
export async function ended({ run }: RunApp, path: string, user?: string): Promise<Run> {
  await expect.poll(async () => (await run(path, user)).endedAt).not.toBeNull()
  return run(path, user)
}

/** Lets the fake time pass until a promise is settled. */
export async function passTime<T>(work: Promise<T>): Promise<T> {
  const state = { isSettled: false }
  const settle = (): void => void (state.isSettled = true)
  work.then(settle, settle)
  while (!state.isSettled) {
    await vi.advanceTimersByTimeAsync(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return work
}

/** An agent that counts. */
export const count: unknown = createAgent('count', {
  durable: true,
  input: z.object({ to: z.number() }),
  async *handler(_ctx, { to }) {
    for (let number = 1; number <= to; number++) yield { number }
  },
})
