import type { RunWaiting, Schema } from '@sdk/protocol'
import type { SleepTime } from '../../context/start.ts'
import { parseDuration, type EventSchemas } from '../../define/durable.ts'
import { unref } from '../../platform/unref-timer.ts'
import type { ActiveRun } from '../active-run.ts'
import { StepUsageError } from '../run-error.ts'
import { RUN_LIMITS } from '../run-limits.ts'

/** The longest sleep for which a run always stays in memory, in ms. */
const MAX_SHORT_MS = 60_000

/** How long a run stays in memory after a sleep or a wait has begun, in ms. The handler may begin a step beside it. */
const BEGIN_GRACE_MS = 100

/** How long a run stays in memory after a step has ended beside a sleep or a wait, in ms. */
const STEP_GRACE_MS = 5_000

/** How long a busy run stays in memory after a sleep or a wait has begun, in ms. */
const BUSY_GRACE_MS = 60_000

/** How often a run in memory looks for events of which it was not notified, in ms. */
const CHECK_MS = 30_000

/** The key of the event that a run sends to itself if its handler continues after the run has left memory. */
export const BUSY_EVENT = '#busy'

/** A sleep or a wait. */
interface Pause {
  readonly waiting: RunWaiting
  /** The key of the event, or null for a sleep. */
  readonly key: string | null
  /** The result of `begin`. */
  readonly mark: number
  /** Returns the time that is left, in ms. It is 0 or less if the pause is over. */
  readonly left: () => Promise<number>
}

interface HeldPause extends Pause {
  /** The time at which the pause is due, by the clock of this process. */
  at: number
  resume(): void
}

interface PausesDependencies {
  /** Waits for a short sleep. */
  delay(ms: number): Promise<void>
  /** Whether the handler has already continued after the run had left memory. */
  isBusy(): boolean
  /** Called before the run leaves memory. */
  onLeave(): void
  /** Called when an event may have been sent. */
  onNews(): void
  /** Called if the handler continues after the run has left memory. */
  onLate(): void
}

/**
 * The sleeps and waits of one execution of a run. While the run does nothing else, it leaves memory: the promises never
 * settle, and the handler runs again when the run is due. Until then, they settle in memory.
 */
export class Pauses {
  readonly #run: ActiveRun
  readonly #dependencies: PausesDependencies
  readonly #held = new Set<HeldPause>()
  #dueTimer: ReturnType<typeof setTimeout> | undefined
  #leaveTimer: ReturnType<typeof setTimeout> | undefined
  /** The number of steps and short sleeps that are running. */
  #working = 0
  /** The number of steps, sleeps and waits that have ended. */
  #ended = 0
  /** The number of pauses that are being checked. */
  #checking = 0
  /** The number of times that an event may have been sent. */
  #news = 0

  constructor(run: ActiveRun, dependencies: PausesDependencies) {
    this.#run = run
    this.#dependencies = dependencies
    run.onNews = () => this.#onNews()
    void run.over.then(() => this.#clear())
  }

  /** Begins a step, a sleep or a wait. Returns the number of those that have ended. */
  begin(): number {
    clearTimeout(this.#leaveTimer)
    this.#working += 1
    return this.#ended
  }

  /** Ends a step, a sleep or a wait, so that the handler continues. */
  end(): void {
    this.#working -= 1
    this.#ended += 1
    this.#leaveAfter(STEP_GRACE_MS)
  }

  /** Resolves when a pause is over. */
  async wait(pause: Pause): Promise<void> {
    let ms = 0
    for (let seen = -1; seen !== this.#news;) {
      seen = this.#news
      ms = await pause.left()
      if (ms <= 0) return
    }
    if (ms <= MAX_SHORT_MS && pause.key === null) {
      await this.#dependencies.delay(ms)
      return this.wait(pause)
    }
    this.#working -= 1
    await new Promise<void>((resume) => {
      this.#held.add({ ...pause, at: Date.now() + ms, resume })
      this.#schedule()
      // If something has ended since the pause began, the handler may be working without a step.
      this.#leaveAfter(pause.mark === this.#ended ? BEGIN_GRACE_MS : STEP_GRACE_MS)
    })
    this.begin()
  }

  #onNews(): void {
    this.#news += 1
    this.#dependencies.onNews()
    for (const pause of this.#held) if (pause.key !== null) void this.#check(pause)
  }

  async #check(pause: HeldPause): Promise<void> {
    this.#checking += 1
    const ms = await pause.left()
    this.#checking -= 1
    pause.at = Date.now() + ms
    if (ms <= 0 && this.#held.delete(pause)) pause.resume()
    this.#schedule()
  }

  #schedule(): void {
    clearTimeout(this.#dueTimer)
    if (this.#held.size === 0 || this.#checking > 0) return
    const now = Date.now()
    const next = [...this.#held].reduce((least, { at }) => Math.min(least, at - now), CHECK_MS)
    const check = (): void => {
      for (const pause of this.#held) if (next === CHECK_MS || pause.at - now <= next) void this.#check(pause)
    }
    this.#dueTimer = unref(setTimeout(check, Math.max(0, Math.ceil(next))))
  }

  /** Leaves memory unless the handler begins a step, yields a chunk or continues in the meantime. */
  #leaveAfter(grace: number): void {
    clearTimeout(this.#leaveTimer)
    const isBusy = this.#dependencies.isBusy()
    if (this.#working > 0 || this.#held.size === 0 || (isBusy && grace === STEP_GRACE_MS)) return
    const { produced } = this.#run
    const ms = isBusy ? BUSY_GRACE_MS : grace
    const leave = (): void =>
      this.#run.produced === produced && this.#checking === 0 ? this.#leave() : this.#leaveAfter(grace)
    this.#leaveTimer = unref(setTimeout(leave, ms))
  }

  #leave(): void {
    if (this.#run.isEnding) return
    const pauses = [...this.#held].map(({ waiting }) => waiting)
    const times = pauses.flatMap(({ until }) => until ?? []).toSorted()
    // Callers see what they can answer before what passes by itself. Earlier events may have lost a race.
    const waiting = pauses.findLast(({ event }) => event !== null) ?? pauses.find(({ until }) => until === times[0])
    if (waiting === undefined) return
    const keys = [...this.#held].flatMap(({ key }) => key ?? [])
    const events = this.#dependencies.isBusy() ? keys : [...keys, BUSY_EVENT]
    this.#run.onLate = () => {
      this.#run.onLate = () => {}
      this.#dependencies.onLate()
    }
    this.#dependencies.onLeave()
    void this.#run.finish({ status: 'waiting', dueAt: times[0] ?? null, waiting, events })
  }

  #clear(): void {
    clearTimeout(this.#dueTimer)
    clearTimeout(this.#leaveTimer)
    this.#held.clear()
  }
}

/** Returns the time in ms at which a sleep that begins `now` ends. Throws a `TypeError` if `time` is invalid. */
export function toDueTime(time: SleepTime, now: number, subject: string): number {
  const ms = typeof time === 'number' ? time : parseDuration(time) * 1000
  const due = time instanceof Date ? time.getTime() : now + ms
  if (due - now <= RUN_LIMITS.sleep && (time instanceof Date || ms >= 0)) return Math.ceil(due)
  const got = time instanceof Date && !Number.isNaN(due) ? time.toISOString() : String(time)
  throw new StepUsageError(
    `${subject} must have a duration such as '90m' or '1d', a number of milliseconds or a Date, at most a year ahead, got ${got}`,
  )
}

/** The format of the id of a wait or a thread. */
export const VISIBLE_ID: RegExp = /^[\x21-\x7E]{1,128}$/

/** Returns the schema of the event that a handler waits for. Throws a `TypeError` if the arguments are invalid. */
export function assertWait(
  events: EventSchemas,
  { event, id, ask }: Omit<RunWaiting, 'event' | 'until'> & { event: string },
): Schema {
  const schema = Object.hasOwn(events, event) ? events[event] : undefined
  if (schema === undefined)
    throw new StepUsageError(`ctx.wait cannot wait for ${JSON.stringify(event)}: declare it in the agent's events`)
  if (id !== null && !VISIBLE_ID.test(id))
    throw new StepUsageError(
      `the id of a wait must have 1 to 128 printable ASCII characters without spaces, got ${JSON.stringify(id)}`,
    )
  if ((JSON.stringify(ask) ?? '').length > RUN_LIMITS.ask)
    throw new StepUsageError(`the ask of a wait must have at most ${RUN_LIMITS.ask} characters of JSON: send a key`)
  return schema
}
