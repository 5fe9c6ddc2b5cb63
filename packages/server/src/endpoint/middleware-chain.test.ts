import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createApp, createRouter, type Log, type Middleware, type Reply } from '../index.ts'

const errors: string[] = []
const log: Log = { debug() {}, info() {}, warn() {}, error: (_message, fields) => errors.push(JSON.stringify(fields)) }

/** Calls a route behind a middleware; returns its status, and how often its handler ran. */
async function callThrough(middleware: Middleware): Promise<{ status: number; runs: number }> {
  let runs = 0
  errors.length = 0
  const router = createRouter()
    .use('/api/*', (_ctx, next) => next())
    .use('/api/*', middleware)
    .on('POST /api/notes', () => ({ runs: ++runs }))
  const app = createApp({ router, log })
  const { status } = await app.fetch(new Request('http://localhost/api/notes', { method: 'POST' }))
  await setImmediate()
  return { status, runs }
}

describe('middleware', () => {
  it('runs the handler once and is named in the error if it calls next() twice', async () => {
    const retry: Middleware = async (_ctx, next) => {
      await next()
      return next()
    }
    expect(await callThrough(retry)).toEqual({ status: 500, runs: 1 })
    expect(errors.join()).toContain('middleware retry of POST /api/notes called next() a second time')
  })

  it('runs the handler once if it calls next() twice concurrently', async () => {
    expect(await callThrough((_ctx, next) => Promise.any([next(), next()]))).toEqual({ status: 200, runs: 1 })
  })

  it('is named by its number in the error if it has no name', async () => {
    await callThrough((_ctx, next) => Promise.all([next(), next()]).then(([first]) => first))
    expect(errors.join()).toContain('middleware number 2 of POST /api/notes called next() a second time')
  })

  it('does not run the handler if it calls next() after it has returned', async () => {
    let late: (() => Promise<Reply>) | undefined
    const { runs } = await callThrough(async (_ctx, next) => {
      late = next
      return new Response('no')
    })
    await expect(late?.()).rejects.toThrow(/^middleware number 2 .* called next\(\) after it had returned/)
    expect(runs).toBe(0)
  })

  it('cannot call next() after it has failed', async () => {
    let late: (() => Promise<Reply>) | undefined
    const { status } = await callThrough(async (_ctx, next) => {
      late = next
      throw new Error('failed')
    })
    expect(status).toBe(500)
    await expect(late?.()).rejects.toThrow('after it had returned')
  })
})
