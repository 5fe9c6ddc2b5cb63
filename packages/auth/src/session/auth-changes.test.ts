import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAuthChanges } from './auth-changes.ts'
import { createSessionCache } from './session-cache.ts'

describe('createAuthChanges', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('publishes later changes even if an engine never responds', async () => {
    const messages: string[] = []
    const apps = {
      endSessions: () => {},
      recheck: () => {},
      subscribe: () => {},
      async publish(_stream: string, text: string): Promise<void> {
        messages.push(text)
        if (messages.length === 1) await new Promise(() => {})
      },
    }
    const changes = createAuthChanges(apps, createSessionCache({ ttlMs: 1 }), 'secret')
    for (const id of ['first', 'second']) {
      changes.add({ ended: [id] })
      const waited = changes.published()
      await vi.advanceTimersByTimeAsync(1_000)
      await waited
    }
    expect(messages).toEqual(['first', 'second'].map((id) => JSON.stringify({ ended: [id], changed: [] })))
  })
})
