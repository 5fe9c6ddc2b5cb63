import type { BetterAuth } from '../better-auth/better-auth.ts'

const HOUR_MS = 3_600_000
const RETENTION_MS = 24 * HOUR_MS
const BATCH_SIZE = 1_000

/**
 * The models with an expiry time. Access tokens refer to refresh tokens. Better Auth does not delete used client
 * assertions. In apps without password resets, it does not delete unredeemed codes either.
 */
const EXPIRING_MODELS = [
  'session',
  'oauthAccessToken',
  'oauthRefreshToken',
  'oauthClientAssertion',
  'verification',
] as const

type Adapter = BetterAuth['context']['adapter']

/**
 * Creates a function that deletes sessions, codes, and what OAuth stores, that expired more than a day ago. Call it
 * whenever a session starts: it runs in the background, at most once an hour. After a failure, the next run tries again.
 */
export function createExpiredSessionCleanup(start: () => Promise<BetterAuth>): () => void {
  let nextAt = 0
  return () => {
    const now = Date.now()
    if (now < nextAt) return
    nextAt = now + HOUR_MS
    deleteAll(new Date(now - RETENTION_MS)).catch(() => {})
  }

  async function deleteAll(endedBefore: Date): Promise<void> {
    const { adapter, tables } = (await start()).context
    for (const model of EXPIRING_MODELS) if (model in tables) await deleteExpired(model, endedBefore, adapter)
  }

  /** Deletes rows in batches: a single statement could lock millions of rows for a long time. */
  async function deleteExpired(model: string, endedBefore: Date, adapter: Adapter): Promise<void> {
    const where = [{ field: 'expiresAt', operator: 'lt', value: endedBefore } as const]
    // The loop also ends if another process deleted the batch first.
    for (let deleted = 1; deleted > 0;) {
      const ended = await adapter.findMany<{ id: string }>({ model, where, limit: BATCH_SIZE })
      if (ended.length === 0) return
      const ids = ended.map(({ id }) => id)
      deleted = await adapter.deleteMany({ model, where: [{ field: 'id', operator: 'in', value: ids }] })
    }
  }
}
