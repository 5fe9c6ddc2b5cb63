import type { Agent } from '../define/agent.ts'
import { parseDuration } from '../define/durable.ts'
import type { MemoryRunStore } from '../run/store/memory-run-store.ts'

/** How long runs may take without a sleep or a wait until a test fails, in ms. */
const MAX_SETTLE_MS = 30_000

/** How often in a row the runs must be found at rest. A run that has just been woken is claimed in the meantime. */
const QUIET_TURNS = 3

/** How often to check without a pause, before checking every few milliseconds. */
const EAGER_TURNS = 200

/** The runs of a test: their store, and the agents whose runs the test waits for. */
export interface SettledRuns {
  readonly store: MemoryRunStore
  readonly agents: readonly Pick<Agent, 'name' | 'schedules'>[]
}

type UnfinishedRun = ReturnType<MemoryRunStore['unfinished']>[number]

/** Returns the unfinished runs. */
export function unfinishedRuns({ store, agents }: SettledRuns): UnfinishedRun[] {
  return store.unfinished().filter(({ agent }) => agents.some(({ name }) => name === agent))
}

/** Waits until no run can continue before the clock is advanced or an event is sent. */
export async function settleRuns(runs: SettledRuns): Promise<void> {
  const end = performance.now() + MAX_SETTLE_MS
  const isBusy = ({ id, status, isDue }: UnfinishedRun): boolean =>
    status === 'running' ? runs.store.clock.timesOf(id).length === 0 : isDue
  for (let [turn, quiet] = [0, 0]; quiet < QUIET_TURNS; turn++) {
    await new Promise((resolve) => (turn < EAGER_TURNS ? setImmediate(resolve) : setTimeout(resolve, 5)))
    const busy = unfinishedRuns(runs).filter(isBusy)
    quiet = busy.length === 0 ? quiet + 1 : 0
    if (performance.now() < end) continue
    const names = busy.map(({ agent, id }) => `${agent} ${id}`).join(', ')
    throw new Error(`runs must pause or end within 30 s, but these are still running: ${names}`)
  }
}

/** Returns the next time at which a run continues by itself, or infinity. */
export function nextDueTime(runs: SettledRuns): number {
  const { clock } = runs.store
  const times = unfinishedRuns(runs).flatMap(({ id, status, pause, dueAt }) => {
    if (status === 'waiting') return Date.parse(pause?.dueAt ?? '')
    // A queued run whose time has passed waits for another run.
    return status === 'queued' ? [Date.parse(dueAt ?? '')].filter((time) => time > clock.now()) : clock.timesOf(id)
  })
  return Math.min(...times.filter((time) => !Number.isNaN(time)))
}

/** Advances the clock by a duration. Each tick of a schedule starts a run, and each run continues when it is due. */
export async function advanceRuns(runs: SettledRuns, ms: number): Promise<void> {
  const { clock, schedules: stored } = runs.store
  const target = clock.now() + ms
  const schedules = runs.agents.flatMap((agent) => agent.schedules ?? [])
  if (schedules.length > 0) await stored.begun
  const nextTime = (): number =>
    Math.min(nextDueTime(runs), ...schedules.map(({ next }) => next(clock.now()) ?? Number.POSITIVE_INFINITY))
  await settleRuns(runs)
  for (let due = nextTime(); due <= target; due = nextTime()) {
    clock.advanceTo(due)
    await settleRuns(runs)
  }
  clock.advanceTo(target)
  await settleRuns(runs)
}

/** Returns a duration in ms. Throws a `TypeError` if it is invalid. */
export function toMilliseconds(time: string | number): number {
  const ms = typeof time === 'number' ? time : parseDuration(time) * 1000
  if (Number.isFinite(ms) && ms >= 0) return ms
  throw new TypeError(
    `runs.advance must get a duration such as '2d' or a number of milliseconds, got ${JSON.stringify(time)}`,
  )
}
