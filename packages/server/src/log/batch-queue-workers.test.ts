import { describe, expect, it, vi } from 'vitest'
import { createBatchQueue } from './batch-queue.ts'
import { isWorkers } from '../platform/is-workers.ts'

describe('on Cloudflare Workers', () => {
  it('detects the platform', () => {
    expect(isWorkers()).toBe(false)
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    expect(isWorkers()).toBe(true)
  })

  it('drains each item at once, since timers end with their request', () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    const batches: string[][] = []
    const queue = createBatchQueue<string>({ drain: (items) => void batches.push(items) })
    queue.add('one')
    queue.add('two')
    expect(batches).toEqual([['one'], ['two']])
  })
})
