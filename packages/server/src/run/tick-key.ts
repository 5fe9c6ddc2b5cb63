import { START_KEY_PREFIX } from './run-limits.ts'

/** Returns the key of the run for a tick. Callers cannot send it as `Idempotency-Key`. */
export function toTickKey(agent: string, tick: number): string {
  return `${START_KEY_PREFIX}schedule ${agent} ${new Date(tick).toISOString()}`
}

/** Returns the time of the tick that started a run, or null if the run was not started by a schedule. */
export function tickOf(agent: string, key: string | null): Date | null {
  const prefix = `${START_KEY_PREFIX}schedule ${agent} `
  return key?.startsWith(prefix) === true ? new Date(key.slice(prefix.length)) : null
}
