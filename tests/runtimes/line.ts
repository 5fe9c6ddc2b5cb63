import { expect } from 'vitest'
import type { RunningServer, RuntimeName } from './runtimes.ts'

/** One line of the contract: a promise that is checked on every runtime. */
export interface Line {
  readonly part: 'HTTP' | 'Streams' | 'Limits' | 'Sockets' | 'Drain'
  readonly title: string
  /** The runtimes that cannot keep the promise, and the reason. */
  readonly lacks?: Partial<Record<RuntimeName, string>>
  /** Whether the line ends the server, which is then started again. */
  readonly isLast?: boolean
  check(server: RunningServer): Promise<void>
}

/** A route of the contract's app that counts what the server has seen. */
export async function seen({ url }: RunningServer): Promise<Record<string, number>> {
  return (await (await fetch(`${url}/api/seen`)).json()) as Record<string, number>
}

/** Returns a counter of the server until it has reached a value. */
export async function untilSeen(server: RunningServer, name: string, value: number): Promise<void> {
  await expect.poll(async () => (await seen(server))[name] ?? 0).toBeGreaterThanOrEqual(value)
}
