import type { ActiveRun } from './active-run.ts'

/** A run that belongs to this process. */
export interface ActiveEntry {
  readonly agent: string
  /** The execution, or null until it begins. */
  run: ActiveRun | null
  /** Whether the store already knows that the run belongs to this process. */
  readonly isStored: boolean
}

/** The runs that belong to this process, including those whose execution has not begun. */
export class ActiveRuns {
  readonly #entries = new Map<string, ActiveEntry>()

  /** Adds a run that is about to be executed. An earlier execution of the same run is stopped. */
  reserve(id: string, entry: ActiveEntry): ActiveEntry {
    this.#entries.get(id)?.run?.stop('the run was taken over again')
    this.#entries.set(id, entry)
    return entry
  }

  /** Removes an entry, unless a later one has replaced it. */
  forget(id: string, entry: ActiveEntry): void {
    if (this.isCurrent(id, entry)) this.#entries.delete(id)
  }

  isCurrent(id: string, entry: ActiveEntry): boolean {
    return this.#entries.get(id) === entry
  }

  has(id: string): boolean {
    return this.#entries.has(id)
  }

  ids(): string[] {
    return [...this.#entries.keys()]
  }

  /** Returns the number of runs of an agent. */
  count(agent: string): number {
    return [...this.#entries.values()].filter((entry) => entry.agent === agent).length
  }

  /** Returns the entries of runs that the store knows. */
  stored(): [id: string, entry: ActiveEntry][] {
    return [...this.#entries].filter(([, { run, isStored }]) => run !== null || isStored)
  }

  /** Stops the executions of all runs in this process. */
  stopAll(reason: string): void {
    for (const { run } of this.#entries.values()) run?.stop(reason)
  }
}
