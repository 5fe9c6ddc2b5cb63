import { ApiError, type InputArguments, type Run, type RouteName, type RouteOf } from '@sdk/protocol'
import type { RequestAuth } from '../auth/identity.ts'
import type { App } from '../app/app.ts'
import { MemoryRunStore } from '../run/store/memory-run-store.ts'
import { testEveryCrash, type EveryCrashOptions } from './every-crash.ts'
import { advanceRuns, settleRuns, toMilliseconds, type SettledRuns } from './settle-runs.ts'
import type { AnyAgent, TestArguments } from './test-request.ts'

/** A run, or its id. */
export type AnyRun = string | Pick<Run, 'id'>

/** An event of the app's durable agents, or any other string. */
export type AnyEvent = EventIn<RouteName> | (string & {})

type EventIn<R> = R extends `POST /agent/${string}/runs/:run/events/${infer Event}` ? Event : never

/** The value of an event. If several agents have an event of this name, the value of one of them. */
export type EventValue<Event extends string> = [Event] extends [EventIn<RouteName>]
  ? ValueOf<Extract<RouteName, `POST /agent/${string}/runs/:run/events/${Event}`>>
  : unknown

type ValueOf<R extends string> = R extends string ? RouteOf<R>['input'] : never

/** A run of an agent, with the type of its output. */
export type TestRun<Name extends string> = RouteOf<`GET /agent/${Name}/runs/:run`>['output'] extends infer Known extends
  Run
  ? Known
  : Run

/** The runs of the durable agents under test. */
export interface TestRuns {
  /**
   * Starts a run, as a request with `Prefer: respond-async` does. Resolves with the run once it has ended or waits.
   * @example const run = await app.runs.start('buy', { item: 'tea', cost: 20 })
   */
  start<Name extends AnyAgent>(
    agent: Name,
    ...rest: TestArguments<`POST /agent/${NoInfer<Name>}`>
  ): Promise<TestRun<Name>>
  /** Returns a run. */
  get(run: AnyRun): Promise<Run>
  /**
   * Sends an event to a run, as its route does. Resolves with the run once it has ended or waits again.
   * @example await app.runs.send(run, 'approval', { ok: true })
   */
  send<Event extends AnyEvent>(
    run: AnyRun,
    event: Event,
    value: EventValue<NoInfer<Event>>,
    options?: SendOptions,
  ): Promise<Run>
  /**
   * Advances the clock of the runs, so that sleeps end, waits time out, failed steps are retried and each tick of a
   * schedule starts a run, one after the other. Resolves when all runs have ended or wait for something later.
   * @example await app.runs.advance('2d')
   */
  advance(time: string | number): Promise<void>
  /**
   * Runs an agent once without a crash, and then once for each step, chunk, sleep and wait, with a crash before or after
   * it is stored. Another process takes over each time. Rejects if the output, the chunks or the effects differ, and
   * names the step. Resolves with the list of crashes.
   * @example await app.runs.everyCrash('order', { item: 'tea' }, { effects: () => mails })
   */
  everyCrash<Name extends AnyAgent>(
    agent: Name,
    ...rest: EveryCrashArguments<RouteOf<`POST /agent/${NoInfer<Name>}`>['input']>
  ): Promise<string[]>
}

/** The arguments of `everyCrash` after the agent. */
export type EveryCrashArguments<Input> = InputArguments<Input, EveryCrashOptions>

/** Options for `send`. */
export interface SendOptions {
  /** The id of the wait, if the agent waits for several events of this name. @default none */
  readonly id?: string | undefined
}

/** Calls a route and returns its result. */
type Call = (route: string, ...rest: readonly unknown[]) => Promise<never>

/** Creates the `runs` of a test app. */
export function createTestRuns(app: App, call: Call, auth?: RequestAuth): TestRuns {
  const find = async (run: AnyRun): Promise<{ id: string; path: string }> => {
    const id = typeof run === 'string' ? run : run.id
    const stored = await app['~runs']()?.store.get(id)
    if (!stored) throw new ApiError('NOT_FOUND', `the run ${JSON.stringify(id)} does not exist`)
    return { id, path: `/agent/${stored.agent}/runs/:run` }
  }
  const settle = async (): Promise<void> => {
    const runs = toSettled(app)
    if (runs !== null) await settleRuns(runs)
  }
  const get = async (run: AnyRun): Promise<Run> => {
    const { id, path } = await find(run)
    return call(`GET ${path}`, { params: { run: id } })
  }
  return {
    get,
    async start(agent, ...rest) {
      if (app['~runs']()?.agents.some(({ name }) => name === agent) !== true)
        throw new TypeError(
          `runs.start must get the name of a durable agent of the app, got ${JSON.stringify(agent)}: set durable: true`,
        )
      const [input, options] = rest as [unknown, { headers?: object }?]
      const headers = { ...options?.headers, prefer: 'respond-async' }
      const run: Run = await call(`POST /agent/${agent}`, input, { ...options, headers })
      await settle()
      return (await get(run)) as never
    },
    async send(run, event, ...[value, { id: wait } = {}]) {
      const { id, path } = await find(run)
      await call(`POST ${path}/events/${event}`, value, { params: { run: id }, query: { id: wait } })
      await settle()
      return get(id)
    },
    async advance(time) {
      const ms = toMilliseconds(time)
      const runs = toSettled(app)
      if (runs === null) throw new TypeError(NO_CLOCK)
      await advanceRuns(runs, ms)
    },
    everyCrash: (agent, ...[input, options = {}]) => testEveryCrash(app['~runs'](), { agent, input, auth, options }),
  }
}

const NO_CLOCK =
  'runs.advance needs durable agents whose runs are stored in memory: create the app without the option runs'

/** Returns the runs of an app whose clock can be advanced, or null. */
function toSettled(app: App): SettledRuns | null {
  const parts = app['~runs']()
  return parts?.store instanceof MemoryRunStore ? { store: parts.store, agents: parts.agents } : null
}

/** Lets runs find a user of the test, who has no row in the database, when they continue without a request. */
export function addRunUser(app: App, { session, getUser }: RequestAuth): void {
  const host = app['~runs']()?.host
  if (host === undefined) return
  const known = host.session
  const find = async (id: string): Promise<Awaited<ReturnType<RequestAuth['getUser']>> | null> =>
    id === session.userId ? getUser() : ((await known?.getUser?.(id)) ?? null)
  Object.assign(host, { session: { getUser: find } })
}
