import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Reply } from '../http/reply.ts'
import { Health } from './health.ts'
import { createLog } from '../log/log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const read = ({ status, body }: Reply): unknown => [status, JSON.parse(body as string)]
const never = (): Promise<never> => new Promise(() => {})

describe('Health', () => {
  it('returns 200 for liveness', () => {
    expect(new Health().live()).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: '{"status":"ok"}',
    })
  })

  it('is ready when all checks pass', async () => {
    const health = new Health({ checks: { database: async () => 'fine', cache: () => undefined } })
    expect(read(await health.ready())).toEqual([200, { status: 'ok' }])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('returns the names of the failed checks and logs the reasons', async () => {
    const lines: string[] = []
    const health = new Health({
      log: createLog({ write: (line) => void lines.push(line) }),
      checks: {
        ok: () => true,
        database: () => Promise.reject(new Error('password wrong')),
        cache: fail,
        queue: () => false,
        slow: never,
      },
    })
    const ready = health.ready()
    await vi.advanceTimersByTimeAsync(1_000)
    const reply = await ready
    expect(read(reply)).toEqual([503, { status: 'failing', failed: ['database', 'cache', 'queue', 'slow'] }])
    expect(reply.headers['retry-after']).toBe('1')
    expect(lines.map((line) => (JSON.parse(line) as { error: string }).error).toSorted()).toEqual([
      'gone',
      'password wrong',
      'the check returned false',
      'the check timed out after 1000 ms',
    ])
  })

  it('logs once when a check starts to fail and once when it recovers', async () => {
    const lines: { level: string; message: string; check: string }[] = []
    let isThere = false
    const health = new Health({
      log: createLog({ write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[number]) }),
      checks: { database: () => isThere, cache: () => true },
    })
    for (const next of [false, false, true, true, false]) {
      isThere = next
      await health.ready()
    }
    expect(lines.map(({ level, message, check }) => `${level} ${message}: ${check}`)).toEqual([
      'warn readiness check failed: database',
      'info readiness check recovered: database',
      'warn readiness check failed: database',
    ])
  })

  it('runs each check once for concurrent requests', async () => {
    const check = vi.fn<() => Promise<boolean>>(async () => true)
    const health = new Health({ checks: { check } })
    await Promise.all([health.ready(), health.ready()])
    expect(check).toHaveBeenCalledTimes(1)
    await health.ready()
    expect(check).toHaveBeenCalledTimes(2)
  })

  it('returns 503 while draining, including for pending requests, and stays live', async () => {
    const health = new Health({ checks: { slow: never } })
    const before = health.ready()
    health.drain()
    expect(read(await health.ready())).toEqual([503, { status: 'draining' }])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(read(await before)).toEqual([503, { status: 'draining' }])
    expect(health.live().status).toBe(200)
  })
})

function fail(): never {
  throw new Error('gone')
}
