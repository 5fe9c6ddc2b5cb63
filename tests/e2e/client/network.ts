import { fileURLToPath } from 'node:url'
import { ApiError } from '@sdk/server'
import { openQuietPage, spawnNode } from '@sdk/test-kit'
import { expect, it } from 'vitest'
import { soon } from '../soon.ts'
import { createActor } from './actor.ts'
import { at } from './page.ts'
import type { Stage } from './stage.ts'

const SECOND = fileURLToPath(new URL('./second.ts', import.meta.url))

/** Tests failures of networks and servers, and several tabs. */
export function testNetwork(stage: Stage): void {
  it('sends no preflight for a GET to another origin', async () => {
    const { actor, page, place } = stage
    place.handle('GET tea', () => 'Tea')
    place.handle('POST tea', () => 'More tea')
    await page.goto(place.elsewhere)
    await actor.showFrom(place.url, at('a', 'GET tea'))
    await actor.until('a', { data: 'Tea' })
    expect(place.requests).toEqual(['GET /api/at/tea'])
    // Requests with JSON need a preflight.
    await actor.showFrom(place.url, { ...at('b', 'POST tea'), payload: 1 })
    await actor.click('b')
    await actor.until('b', { data: 'More tea' })
    expect(place.requests).toEqual(['GET /api/at/tea', 'OPTIONS /api/at/tea', 'POST /api/at/tea'])
  })

  it('retries after the Retry-After time of a busy server', async () => {
    const { actor, place } = stage
    const visits = place.handle('GET tea', () => {
      if (visits.length === 1) throw new ApiError('SERVICE_UNAVAILABLE', 'The kettle is on', { retryAfter: 1 })
      return 'Tea'
    })
    await actor.show(at('a', 'GET tea'))
    await actor.until('a', { status: 'success', data: 'Tea' })
    const [first, second] = visits.map((visit) => visit.at)
    expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(1000)
    expect(Number(second) - Number(first)).toBeLessThan(5000)
    const statuses = (await actor.read('history', 'a')).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set(['loading', 'success']))
    expect(visits).toHaveLength(2)
  })

  it('refetches stale data when the tab becomes visible', async () => {
    const { browser, place } = stage
    const visits = place.handle('GET tea', ({ query }) => `${query['is']} ${visits.length}`)
    const quiet = await openQuietPage(browser, place.url)
    const actor = createActor(quiet.run)
    const stale = at('a', 'GET tea', { query: { is: 'stale' } })
    await actor.show(stale)
    await actor.until('a', { data: 'stale 1', isFetching: false })
    await actor.show(stale, at('b', 'GET tea', { query: { is: 'fresh' }, staleTime: 60_000 }))
    await actor.until('b', { data: 'fresh 2', isFetching: false })
    await quiet.hide()
    await soon(async () => expect(await quiet.run(() => document.visibilityState, null)).toBe('hidden'))
    expect(visits).toHaveLength(2)
    await quiet.send('Page.bringToFront')
    await actor.until('a', { data: 'stale 3', isFetching: false })
    expect(await actor.see('b')).toMatchObject({ data: 'fresh 2', isFetching: false })
    expect(visits).toHaveLength(3)
    expect(await actor.faults()).toEqual([])
    await quiet.close()
  })

  it('refetches when the browser is online again', async () => {
    const { actor, page, place } = stage
    const visits = place.handle('GET tea', () => `Tea ${visits.length}`)
    await actor.show(at('a', 'GET tea'))
    await actor.until('a', { data: 'Tea 1', isFetching: false })
    await page.context().setOffline(true)
    await actor.call('a', 'refetch')
    await actor.until('a', { status: 'error', code: 'NETWORK_ERROR', data: 'Tea 1', isFetching: false })
    expect(visits).toHaveLength(1)
    await page.context().setOffline(false)
    await actor.until('a', { status: 'success', code: null, data: 'Tea 2', isFetching: false })
    expect(visits).toHaveLength(2)
  })

  it('keeps the received chunks if the server is killed', async () => {
    const { actor, place } = stage
    const server = await spawnNode({ file: SECOND, args: [place.url] })
    try {
      await actor.showFrom(server.url, { name: 'a', route: 'POST /api/words' })
      await actor.click('a')
      await actor.until('a', { data: ['one', 'two'], isStreaming: true })
    } finally {
      await server.kill()
    }
    await actor.until('a', { status: 'error', code: 'NETWORK_ERROR', data: ['one', 'two'], isStreaming: false })
    expect(await actor.read('callbacks', 'a')).toEqual({ success: 0, error: 1 })
  })
}
