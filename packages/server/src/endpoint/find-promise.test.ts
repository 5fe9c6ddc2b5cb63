import { describe, expect, it, vi } from 'vitest'
import { createAgent, createApp, createRouter, type Log } from '../index.ts'
import { findPromise } from './find-promise.ts'

describe('findPromise', () => {
  it.each([
    ['no promise', { rows: [{ at: new Date(), bytes: new Uint8Array(9) }], nothing: null }, null],
    ['a promise in a member', { total: 1, rows: Promise.resolve([]) }, 'rows'],
    ['a nested promise', { pages: [{ rows: Promise.resolve([]) }] }, 'pages.0.rows'],
  ])('finds %s', (_name, value, path) => {
    expect(findPromise(value)).toBe(path)
  })

  it('stops at circular and large values', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(findPromise(circle)).toBeNull()
    expect(findPromise({ all: Array.from({ length: 20_000 }, () => ({})), late: Promise.resolve() })).toBeNull()
  })
})

describe('a forgotten await', () => {
  const collectWarnings = async (isDevelopment: boolean): Promise<unknown[]> => {
    const warn = vi.fn<Log['warn']>()
    const quiet = (): void => {}
    const app = createApp({
      agents: [createAgent('rows', { handler: () => ({ rows: Promise.resolve([1]) }) })],
      router: createRouter().on('GET /api/rows', () => ({ rows: Promise.resolve([1]) })),
      log: { debug: quiet, info: quiet, warn, error: quiet },
      isDevelopment,
    })
    await app.fetch(new Request('http://localhost/api/rows'))
    await app.fetch(new Request('http://localhost/agent/rows', { method: 'POST' }))
    return warn.mock.calls.map(([message]) => message)
  }

  it('is logged as a warning with its source location in development', async () => {
    expect(await collectWarnings(true)).toEqual([
      expect.stringMatching(
        /^the result of GET \/api\/rows \(defined at .*find-promise\.test\.ts:.*\) has a Promise at rows: await it$/,
      ),
      expect.stringMatching(/^the result of POST \/agent\/rows \(defined at .*\) has a Promise at rows: await it$/),
    ])
  })

  it('is not detected in production', async () => {
    expect(await collectWarnings(false)).toEqual([])
  })
})
