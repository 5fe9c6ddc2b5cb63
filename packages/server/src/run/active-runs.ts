import type { ActiveRun } from './active-run.ts'
import { SUSPECT_CRASHES } from './run-limits.ts'
import { delay } from './run-writer.ts'

/** How long a shutdown waits for the outcomes of handlers that have returned to be stored, in ms. */
const MAX_STORE_MS = 1_000

/** A run that belongs to this process. */
export interface ActiveEntry {
  readonly agent: string
  /** The execution, or null until it begins. */
  run: ActiveRun | null
  /** Whether the store already knows that the run belongs to this process. */
  readonly isStored: boolean
  /** Whether the run has no request that waits for it. */
  readonly isBackground: boolean
  /** The number of takeovers since the last finished step. */
  crashes: number
}

/** The runs that belong to this process, including those whose execution has not begun. */
export class ActiveRuns {
  readonly #entries = new Map<string, ActiveEntry>()
  readonly #counts = new Map<string, number>()
  #background = 0

  /** The number of runs in the background. */
  get background(): number {
    return this.#background
  }

  /** Adds a run that is about to be executed. An earlier execution of the same run is stopped. */
  reserve(id: string, entry: ActiveEntry): ActiveEntry {
    const earlier = this.#entries.get(id)
    earlier?.run?.stop('the run was taken over again')
    if (earlier !== undefined) this.forget(id, earlier)
    this.#entries.set(id, entry)
    this.#add(entry, 1)
    return entry
  }

  /** Removes an entry, unless a later one has replaced it. */
  forget(id: string, entry: ActiveEntry): void {
    if (!this.isCurrent(id, entry)) return
    this.#entries.delete(id)
    this.#add(entry, -1)
  }

  #add({ agent, isBackground }: ActiveEntry, change: 1 | -1): void {
    this.#counts.set(agent, this.count(agent) + change)
    if (isBackground) this.#background += change
  }

  isCurrent(id: string, entry: ActiveEntry): boolean {
    return this.#entries.get(id) === entry
  }

  has(id: string): boolean {
    return this.#entries.has(id)
  }

  /** Notifies a run, or all runs, that an event may have been sent. */
  notify(id: string | null): void {
    for (const run of id === null ? this.#entries.values() : [this.#entries.get(id)]) run?.run?.onNews()
  }

  /** Returns the number of runs of an agent. */
  count(agent: string): number {
    return this.#counts.get(agent) ?? 0
  }

  /** Returns the number of runs that have crashed this often. */
  countCrashed(crashes: number): number {
    return [...this.#entries.values()].filter((entry) => entry.crashes === crashes).length
  }

  /** Returns whether a run is executed only together with few others. */
  hasSuspects(): boolean {
    return [...this.#entries.values()].some(({ crashes }) => crashes > SUSPECT_CRASHES)
  }

  /** Returns the entries of runs that the store knows. */
  stored(): [id: string, entry: ActiveEntry][] {
    return [...this.#entries].filter(([, { run, isStored }]) => run !== null || isStored)
  }

  /** Stops and releases all runs. Those whose handler has returned are released only if they cannot be stored soon. */
  async releaseAll(reason: string, release: (ids: string[]) => Promise<void>): Promise<void> {
    const ending = [...this.#entries.values()].flatMap(({ run }) => (run?.isEnding === true ? [run.over] : []))
    await this.#stop(reason, release, (run) => run?.isEnding !== true)
    if (ending.length === 0) return
    await Promise.race([Promise.all(ending), delay(MAX_STORE_MS)])
    await this.#stop(reason, release, () => true)
  }

  async #stop(
    reason: string,
    release: (ids: string[]) => Promise<void>,
    isMeant: (run: ActiveRun | null) => boolean,
  ): Promise<void> {
    const entries = [...this.#entries].filter(([, { run }]) => isMeant(run))
    for (const [, { run }] of entries) run?.stop(reason)
    if (entries.length > 0) await release(entries.map(([id]) => id))
  }
}
