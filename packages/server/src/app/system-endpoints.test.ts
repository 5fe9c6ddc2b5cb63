import { describe, expect, it } from 'vitest'
import { createApp, createRouter, type Log } from '../index.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

describe('a system path', () => {
  it('matches only if it is not percent-encoded', async () => {
    const app = createApp({ log: silent, metrics: true, router: createRouter().on('GET /api/thing', () => 'ok') })
    const get = async (path: string): Promise<number> =>
      (await app.fetch(new Request(`http://localhost${path}`))).status
    for (const path of ['/metrics', '/metrics?a=1', '/healthz', '/api/%74hing']) expect(await get(path)).toBe(200)
    for (const path of ['/%6detrics', '/%6Detrics?a=1', '/health%7a', '/%72eadyz']) expect(await get(path)).toBe(404)
  })
})
