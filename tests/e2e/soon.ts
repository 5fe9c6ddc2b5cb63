import { vi } from 'vitest'

/** Waits until a condition is true. */
export async function soon(check: () => unknown): Promise<void> {
  await vi.waitFor(check, { timeout: 120_000, interval: 50 })
}
