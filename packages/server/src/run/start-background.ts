import { RUN_ID_HEADER } from '@sdk/protocol'
import type { RunStartCall } from '../context/context.ts'
import type { AgentRef, SleepTime, StartedRun, StartOptions } from '../context/start.ts'
import type { TransactionQuery } from '../context/transaction.ts'
import { isAgent, type Agent } from '../define/agent.ts'
import { validateInput } from '../endpoint/endpoint.ts'
import { httpError } from '../http/http-error.ts'
import { runDetached } from '../platform/async-storage.ts'
import { settingsOf, type Attempt } from './execute-run.ts'
import { toDueTime, VISIBLE_ID } from './step/pauses.ts'
import { StepUsageError } from './run-error.ts'
import { randomId } from './run-id.ts'
import { RUN_LIMITS, START_KEY_PREFIX } from './run-limits.ts'
import type { CreatedRun, NewRun } from './store/run-store.ts'
import type { Runner } from './runner.ts'
import { cancelThread } from './thread-endpoints.ts'

/** Starts a run in the background. */
export async function startInBackground(start: RunStartCall, runner: Runner): Promise<StartedRun> {
  const agent = findDurable(start.agent, runner.agents)
  if (runner.store.isInTransaction?.() === true)
    throw new StepUsageError(
      `start(${agent.name}) cannot be called inside a transaction, which the run would not be part of: ` +
        'call tx.start, or start the run after the transaction',
    )
  const { run, first } = await prepareStart(agent, start, () => runner.store.now())
  return { id: assertCreated(await startOrReplace(runner, agent, run, first)) }
}

/** How often a start replaces a run of its thread, if others replace runs at the same time. */
const MAX_REPLACED = 10

/** Starts a run. Cancels the unfinished run of its thread if `durable.busy` is `replace`. */
export async function startOrReplace(
  runner: Runner,
  ...[agent, run, first]: Parameters<Runner['start']>
): Promise<CreatedRun> {
  const { userId, thread } = run
  for (let replaced = 0; ; replaced++) {
    const created = await runner.start(agent, run, first)
    const isReplaced = created.outcome === 'busy' && agent.durable?.busy === 'replace' && replaced < MAX_REPLACED
    if (!isReplaced || userId === null || thread === null) return created
    await cancelThread({ agent: agent.name, userId, thread }, runner)
  }
}

/** Returns whether a run of an agent waits until the earlier runs of its thread have ended. */
export function isInTurn({ durable }: Agent, thread: string | null): boolean {
  return thread !== null && durable?.busy === 'queue'
}

/** Starts a run as part of the current transaction. It is queued, and processes are notified by the commit. */
export async function startInTransaction(
  start: RunStartCall,
  query: TransactionQuery,
  runner: Runner,
): Promise<StartedRun> {
  const agent = findDurable(start.agent, runner.agents)
  if (runner.store.createInTransaction === undefined)
    throw new StepUsageError(
      `tx.start(${agent.name}) must store the run in the database of the transaction, but runs are stored in memory: ` +
        'pass runs: postgresRuns({ database }) from @sdk/database to createApp',
    )
  const { run } = await prepareStart(agent, start, () => storeTime(query))
  runDetached(() => void runner.join().catch(() => {})) // the app reports that the store is not ready
  const queued = { ...run, id: randomId(), agent: agent.name, process: null }
  const created = await runner.store.createInTransaction(queued, { isReplacing: agent.durable?.busy === 'replace' })
  return { id: assertCreated(created) }
}

/** Returns the time of the database. The store's own statements run outside of the transaction. */
async function storeTime(query: TransactionQuery): Promise<number> {
  const [row] = await query<{ now: string }>('select extract(epoch from clock_timestamp()) * 1000 as now')
  return Math.floor(Number(row?.now))
}

/** Returns the durable agent of an app that a start names. Throws a `TypeError` if there is none. */
export function findDurable(agent: AgentRef, agents: ReadonlyMap<string, Agent>): Agent {
  const known = isAgent(agent) ? agents.get(agent.name) : undefined
  if (known !== undefined) return known
  throw new StepUsageError(
    isAgent(agent)
      ? `start(${agent.name}) must name a durable agent of the app: set durable: true, and pass the agent to createApp`
      : `start must be called with an agent that createAgent returned, got ${agent === null ? 'null' : typeof agent}`,
  )
}

type PreparedRun = Omit<NewRun, 'id' | 'agent' | 'process'>

/** Validates a start, and returns its run and how it is first executed. */
export async function prepareStart(
  agent: Agent,
  { input, options = {}, caller }: RunStartCall,
  now: () => Promise<number>,
): Promise<{ readonly run: PreparedRun; readonly first: (Attempt & { readonly isBackground: true }) | null }> {
  const subject = `start(${agent.name})`
  const { at, key, as, thread } = assertStart(options, subject)
  const text = JSON.stringify(input)
  if (text !== undefined && text.length > RUN_LIMITS.value)
    throw httpError('CONTENT_TOO_LARGE', `the input of a run has more than ${RUN_LIMITS.value} characters of JSON`)
  // Validated as it will be read, so that later attempts accept it, too.
  const checked = await validateInput(agent, text === undefined ? undefined : JSON.parse(text))
  const userId = as ?? caller?.auth?.session.userId ?? null
  if (thread !== undefined && userId === null)
    throw httpError('UNAUTHORIZED', `${subject} must have a user to use a thread: sign in, or pass { as: userId }`)
  const counted = as === undefined ? (caller?.rateLimitKey ?? '') : `user ${as}`
  const run = {
    userId,
    caller: counted === '' ? null : counted,
    key: key === undefined ? null : `${START_KEY_PREFIX}${key}`,
    print: '',
    thread: thread ?? null,
    isInTurn: isInTurn(agent, thread ?? null),
    input: text ?? null,
    address: caller?.address ?? '',
    trace: caller?.incoming.header('traceparent') ?? null,
    ...settingsOf(agent),
    // The clock of the store is needed only for durations. The limit of a year does not depend on seconds.
    dueAt: at === undefined ? undefined : toDueAt(at, at instanceof Date ? Date.now() : await now(), subject),
  }
  // The user named by `as` is looked up when the run begins.
  const auth = caller?.auth ?? null
  return { run, first: as === undefined ? { auth, input: { checked }, span: null, isBackground: true } : null }
}

function toDueAt(at: SleepTime, now: number, subject: string): string {
  return new Date(toDueTime(at, now, subject)).toISOString()
}

function assertStart(options: StartOptions, subject: string): StartOptions {
  const { key, as, thread } = options
  for (const [name, value] of Object.entries({ key, as }))
    if (value !== undefined && (typeof value !== 'string' || !/^[^\0\p{Surrogate}]{1,255}$/u.test(value)))
      throw new StepUsageError(
        `${subject}: ${name} must be a text of 1 to 255 characters, got ${JSON.stringify(value)}`,
      )
  if (thread !== undefined && !VISIBLE_ID.test(thread))
    throw new StepUsageError(
      `${subject}: thread must have 1 to 128 printable ASCII characters without spaces, got ${JSON.stringify(thread)}`,
    )
  return options
}

/** Returns the id of a run that was created or joined. Throws an `ApiError` for any other outcome. */
export function assertCreated({ outcome, id }: CreatedRun): string {
  if (outcome === 'reused')
    throw httpError('IDEMPOTENCY_KEY_REUSED', 'this Idempotency-Key was already used for a run with a different input')
  if (outcome === 'full')
    throw httpError('TOO_MANY_RUNS', `too many unfinished runs (limit ${RUN_LIMITS.unfinished})`, { retryAfter: 60 })
  if (outcome !== 'busy') return id
  const message = 'the thread already has an unfinished run'
  const details = [{ code: 'RUN_IN_PROGRESS', message, source: 'header' as const, name: 'Run-Thread', run: id }]
  throw httpError('RUN_IN_PROGRESS', message, { details, headers: { [RUN_ID_HEADER]: id } })
}
