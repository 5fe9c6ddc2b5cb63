import { MemoryRunStore } from '../run/store/memory-run-store.ts'
import { RUN_LIMITS } from '../run/run-limits.ts'
import type { NewRun, StoredRun } from '../run/store/run-store.ts'
import type { RunnerDependencies } from '../run/runner.ts'
import type { CrashPoint } from './crash-point.ts'
import { CrashingProcess, readChunks, type CrashRecord } from './crashing-process.ts'
import { watchFetch } from './watch-fetch.ts'
import { nextDueTime, settleRuns, unfinishedRuns, type SettledRuns } from './settle-runs.ts'

/** A run to test, and what happens around it. */
export interface CrashSubject {
  readonly parts: RunnerDependencies
  readonly run: NewRun
  /** The values of events, by the name of the event and, after a space, the id of the wait if it has one. */
  readonly events: Readonly<Record<string, unknown>>
  before(): unknown
  effects(): readonly unknown[] | Promise<readonly unknown[]>
}

/** A run, as it is compared. */
export interface RunOutcome extends Pick<StoredRun, 'agent' | 'status' | 'id'> {
  readonly output: string
  readonly error: string
  readonly chunks: readonly string[]
  /** The values of the finished steps as JSON, by name. */
  readonly steps: ReadonlyMap<string, string | null>
}

/** The result of a run with or without a crash. */
export interface CrashOutcome extends Pick<CrashRecord, 'moments' | 'crashes' | 'bodies' | 'yields' | 'lost'> {
  /** The run and those that it has started, in the order of their creation. */
  readonly runs: readonly RunOutcome[]
  /** The effects as JSON. */
  readonly effects: readonly string[]
}

/** How often a run may sleep or wait. */
const MAX_PAUSES = 10_000

/** Executes a run until it ends. If its process crashes at the point, another one takes over. */
export async function runWithCrash(subject: CrashSubject, point: CrashPoint | null): Promise<CrashOutcome> {
  await subject.before()
  const earlier = (await subject.effects()).map(toText)
  const store = new MemoryRunStore(Date.now)
  const { id } = subject.run
  const record: CrashRecord = { moments: [], crashes: [], ids: [id], bodies: new Map(), yields: new Map(), lost: [] }
  const open = async (at: CrashPoint | null): Promise<void> => {
    const { parts } = subject
    const process = new CrashingProcess({ store, parts, record, point: at, onCrash: () => open(null) })
    processes.push(process)
    await process.runner.join()
  }
  const processes: CrashingProcess[] = []
  const fetches = watchFetch()
  try {
    await store.create(subject.run)
    await open(point)
    await finishRuns({ store, agents: subject.parts.agents }, subject.events)
  } finally {
    fetches.stop()
    // A process that has crashed does nothing any longer, and closing it would abort its handlers.
    await processes.at(-1)?.runner.close()
  }
  const runs = await Promise.all(record.ids.map((one) => readRun(store, one)))
  const own = takeAway((await subject.effects()).map(toText), earlier)
  return { ...record, runs, effects: [...own, ...fetches.calls] }
}

/** Sends the events that runs wait for, and advances the clock, until all runs have ended. */
async function finishRuns(runs: SettledRuns, events: CrashSubject['events']): Promise<void> {
  for (let pauses = 0; pauses < MAX_PAUSES; pauses++) {
    await settleRuns(runs)
    const open = unfinishedRuns(runs)
    if (open.length === 0) return
    const sent = await Promise.all(open.map((run) => sendEvent(runs.store, run, events)))
    if (sent.includes(true)) continue
    const due = nextDueTime(runs)
    const event = open[0]?.pause?.waiting.event ?? null
    // A wait without a timeout ends after a year.
    if (due === Number.POSITIVE_INFINITY || (event !== null && due - runs.store.clock.now() > RUN_LIMITS.sleep / 2)) {
      throw new TypeError(
        `everyCrash cannot finish the run of ${open[0]?.agent}, which waits for the event ${event}: ` +
          `pass its value, as in { events: { ${JSON.stringify(event ?? '')}: … } }`,
      )
    }
    runs.store.clock.advanceTo(due)
  }
  throw new Error(`everyCrash cannot finish a run that pauses more than ${MAX_PAUSES} times`)
}

type WaitingRun = ReturnType<typeof unfinishedRuns>[number]

/** Sends the event that a run waits for. Returns false if it waits for no event, or if the event has no value. */
async function sendEvent(
  store: MemoryRunStore,
  { id: run, status, pause }: WaitingRun,
  events: CrashSubject['events'],
): Promise<boolean> {
  const { event = null, id = null } = (status === 'waiting' && pause?.waiting) || {}
  const key = id === null ? String(event) : `${event} ${id}`
  if (event === null || !Object.hasOwn(events, key)) return false
  await store.send({ run, key, value: JSON.stringify(events[key] ?? null), print: '' }, '')
  return true
}

async function readRun(store: MemoryRunStore, id: string): Promise<RunOutcome> {
  const run = await store.get(id)
  if (run === null) throw new TypeError(`the run ${id} was deleted`)
  const chunks = await readChunks(store, id)
  const names = [...(await store.steps(id)).keys()]
  const steps = new Map(await Promise.all(names.map(async (name) => [name, await store.stepValue(id, name)] as const)))
  const { agent, status, output, error } = run
  return { id, agent, status, output: output ?? '', error: error ?? '', chunks, steps }
}

function toText(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined'
}

/** Returns the texts without those that were already there. */
function takeAway(all: readonly string[], earlier: readonly string[]): string[] {
  const rest = [...all]
  for (const text of earlier) if (rest.includes(text)) rest.splice(rest.indexOf(text), 1)
  return rest
}
