import { ApiError } from '@sdk/server'
import { expect, it } from 'vitest'
import { soon } from '../soon.ts'
import { at } from './page.ts'
import type { Stage } from './stage.ts'

/** Tests when a page sends requests, and when it does not. */
export function testRequests(stage: Stage): void {
  it('sends one request in StrictMode', async () => {
    const { actor, place } = stage
    const visits = place.handle('GET tea', () => 'Tea')
    await actor.show(at('a', 'GET tea'))
    await actor.until('a', { status: 'success', data: 'Tea', isFetching: false })
    const [first] = await actor.read('history', 'a')
    expect(first).toMatchObject({ status: 'loading', isLoading: true, isFetching: true })
    await settle(stage)
    expect(visits).toHaveLength(1)
  })

  it('sends one request for three components on a route', async () => {
    const { actor, place } = stage
    const visits = place.handle('GET tea', () => 'Tea')
    await actor.show(at('a', 'GET tea'), at('b', 'GET tea'), at('c', 'GET tea'))
    for (const name of ['a', 'b', 'c']) await actor.until(name, { data: 'Tea', isFetching: false })
    await settle(stage)
    expect(visits).toHaveLength(1)
  })

  it('sends one request for a component with inline options that renders 1,000 times', async () => {
    const { actor, place } = stage
    const visits = place.handle('GET tea', () => 'Tea')
    const query = { tags: ['green', 'black'], of: 'the day' }
    await actor.show(at('a', 'GET tea', { query, headers: { accept: 'application/json' } }))
    await actor.run(() => window.hooks.render('a', 500), null)
    await actor.until('a', { data: 'Tea', isFetching: false })
    await actor.run(() => window.hooks.render('a', 500), null)
    await settle(stage)
    expect(await actor.read('commits', 'a')).toBeGreaterThanOrEqual(1000)
    expect(visits).toHaveLength(1)
    expect(await actor.read('callbacks', 'a')).toEqual({ success: 1, error: 0 })
  })

  it('shows the error of a click without an unhandled rejection', async () => {
    const { actor, place } = stage
    const visits = place.handle('POST tea', () => {
      throw new ApiError('CONFLICT', 'There is no milk')
    })
    await actor.show(at('a', 'POST tea'))
    await actor.click('a')
    await actor.until('a', { status: 'error', code: 'CONFLICT', isLoading: false })
    expect(visits).toHaveLength(1)
    expect(await actor.read('callbacks', 'a')).toEqual({ success: 0, error: 1 })
  })

  it('hydrates a server-rendered page with one request', async () => {
    const { actor, page, place } = stage
    const visits = place.handle('GET tea', () => 'Tea')
    const markup = await stage.render([at('a', 'GET tea'), at('b', 'POST tea')])
    expect(markup).toContain('&quot;status&quot;:&quot;loading&quot;')
    expect(place.requests).toEqual([])
    await page.goto(`${place.url}/hydrate`)
    await actor.until('a', { status: 'success', data: 'Tea', isFetching: false })
    expect((await actor.read('history', 'a'))[0]).toMatchObject({ status: 'loading', isLoading: true })
    expect(await actor.see('b')).toMatchObject({ status: 'idle', isLoading: false })
    await settle(stage)
    expect(visits).toHaveLength(1)
  })
}

/** Waits until all earlier requests of the page have arrived. */
async function settle({ actor, place }: Stage): Promise<void> {
  await actor.run(() => void fetch('/api/at/last'), null)
  await soon(() => expect(place.requests).toContain('GET /api/at/last'))
}
