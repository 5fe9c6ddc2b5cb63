/** A schedule of an agent. */
export interface AgentSchedule {
  readonly agent: string
  /** The cron expression and the time zone. */
  readonly name: string
}

/** The part of a run store that remembers the last tick of each schedule. Times are in ms since the Unix epoch. */
export interface ScheduleStore {
  /**
   * Returns the last tick of each schedule, in order. New schedules begin at `now`. Forgets all other schedules of these
   * agents, so that they begin anew if they are added again.
   */
  begin(begin: {
    readonly agents: readonly string[]
    readonly schedules: readonly AgentSchedule[]
    readonly now: number
  }): Promise<number[]>
  /** Stores the last tick of a schedule that is not forgotten, unless a later one is stored. */
  record(schedule: AgentSchedule, tick: number): Promise<void>
}

/** A store that keeps schedules in memory. */
export interface MemorySchedules extends ScheduleStore {
  /** Resolves when schedules have begun. */
  readonly begun: Promise<void>
}

/** Creates a store that keeps schedules in memory. */
export function memorySchedules(): MemorySchedules {
  const lasts = new Map<string, number>()
  let onBegun = (): void => {}
  const keyOf = ({ agent, name }: AgentSchedule): string => `${agent} ${name}`
  return {
    begun: new Promise((resolve) => (onBegun = resolve)),
    async begin({ agents, schedules, now }) {
      const keys = schedules.map(keyOf)
      for (const key of lasts.keys())
        if (agents.includes(key.split(' ')[0] ?? '') && !keys.includes(key)) lasts.delete(key)
      for (const key of keys) lasts.set(key, lasts.get(key) ?? now)
      onBegun()
      return keys.map((key) => lasts.get(key) ?? now)
    },
    async record(schedule, tick) {
      const last = lasts.get(keyOf(schedule))
      if (last !== undefined) lasts.set(keyOf(schedule), Math.max(last, tick))
    },
  }
}
