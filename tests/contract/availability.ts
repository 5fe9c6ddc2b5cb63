import { expect } from 'vitest'

/** Tries until it works. */
export async function persist(task: () => Promise<unknown>): Promise<void> {
  await expect.poll(() => task().then(() => 'done', String), { timeout: 15_000 }).toBe('done')
}

/** A call was refused as the engine's server is away. */
export async function expectUnavailable(call: Promise<unknown>): Promise<void> {
  await expect(call).rejects.toMatchObject({ name: 'ApiError', code: 'SERVICE_UNAVAILABLE', status: 503 })
}
