import { expect } from 'vitest'

/** Retries until it succeeds. */
export async function persist(task: () => Promise<unknown>): Promise<void> {
  await expect.poll(() => task().then(() => 'done', String)).toBe('done')
}

/** Expects that a call was rejected because the engine is unavailable. */
export async function expectUnavailable(call: Promise<unknown>): Promise<void> {
  await expect(call).rejects.toMatchObject({ name: 'ApiError', code: 'SERVICE_UNAVAILABLE', status: 503 })
}
