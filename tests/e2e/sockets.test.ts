import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pass } from 'node:timers/promises'
import { type Browser, hasChromium, shareBrowser, type Page, openQuietPage } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { soon } from './soon.ts'
import { type Actor, createActor } from './sockets/actor.ts'
import { type Cable, layCable } from './sockets/cable.ts'
import { costOfWay, ours } from './sockets/cost.ts'
import { findPages } from './sockets/suspend.ts'
import { readScene, setScene } from './sockets/scene.ts'
import { type Place, startPlace } from './sockets/server.ts'

/** More than the number of messages that a component keeps. */
const MESSAGES = choose(30_000, 12_000)

/** Shorter than pages are suspended here; the timeout of the server is 45 s. */
const SETTINGS = { graceMs: 500, ackTimeoutMs: 500, probeTimeoutMs: 1000, wakeTimeoutMs: 1000 }

describe.skipIf(!hasChromium())('sockets in a browser', () => {
  let place: Place
  let browser: Browser

  beforeAll(async () => {
    ;[place, browser] = await Promise.all([startPlace(), shareBrowser({ hasTabs: true })])
  })
  afterAll(async () => {
    await browser?.close()
    await place?.server.close({ grace: 100 })
  })
  afterEach(() => expect(place.warnings).toEqual([]))

  describe('on a page', () => {
    let page: Page
    let actor: Actor
    const faults: string[] = []

    beforeAll(async () => {
      page = await browser.newPage()
      page.on('pageerror', (error) => faults.push(String(error)))
      actor = createActor((work, input) => page.evaluate(work as never, input))
    })
    beforeEach(async () => void (await page.goto(`${place.server.url}/page`)))
    afterEach(() => expect(faults.splice(0)).toEqual([]))
    afterAll(() => page.close())

    it('open one connection in StrictMode', async () => {
      const witness = place.witness('strict')
      await actor.show({ name: 'a', path: '/ws/strict' })
      await actor.until('a', { status: 'open' })
      // Longer than an unused connection stays open.
      await pass(1200)
      expect(witness).toMatchObject({ opened: 1, open: 1 })
      await actor.show()
      await soon(() => expect(witness).toMatchObject({ opened: 1, open: 0 }))
    })

    it('share one connection between three components until the last one closes it', async () => {
      const witness = place.witness('shared')
      await actor.show(...['a', 'b', 'c'].map((name) => ({ name, path: '/ws/shared' })))
      for (const name of ['a', 'b', 'c']) await actor.until(name, { status: 'open' })
      await place.publish('shared', 1)
      await place.publish('shared', 2)
      for (const name of ['a', 'b', 'c']) await actor.until(name, { messages: [1, 2] })

      await actor.close('a')
      await actor.until('a', { status: 'closed' })
      expect(await actor.send('a', 'from a')).toBe(false)
      expect(await actor.send('b', 'from b')).toBe(true)
      for (const name of ['b', 'c']) await actor.until(name, { messages: [1, 2, { answer: 'from b' }] })
      await place.publish('shared', 3)
      for (const name of ['b', 'c']) await actor.until(name, { status: 'open', data: 3 })
      expect(await actor.see('a')).toMatchObject({ messages: [1, 2], status: 'closed' })
      expect(witness).toMatchObject({ opened: 1, open: 1, received: ['from b'] })

      await actor.close('b')
      await place.publish('shared', 4)
      await actor.until('c', { data: 4 })
      expect(witness).toMatchObject({ opened: 1, open: 1 })
      await actor.close('c')
      await soon(() => expect(witness).toMatchObject({ opened: 1, open: 0 }))
    })

    it('deliver messages that were sent before the connection is open', async () => {
      const witness = place.witness('early')
      await actor.show({ name: 'a', path: '/ws/early', hello: ['first', 'second'] })
      await actor.until('a', { status: 'open', pending: 0, messages: [{ answer: 'first' }, { answer: 'second' }] })
      expect(witness).toMatchObject({ opened: 1, received: ['first', 'second'] })
    })

    it('use the same handler as a plain WebSocket', async () => {
      const witness = place.witness('plain')
      await actor.show({ name: 'a', path: '/ws/plain' })
      await actor.until('a', { status: 'open' })
      const received = await page.evaluate(async () => {
        const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/ws/plain`)
        await new Promise((resolve) => socket.addEventListener('open', resolve))
        socket.send('"from plain"')
        return new Promise((resolve) => socket.addEventListener('message', ({ data }) => resolve(data)))
      })
      expect(received).toBe('{"answer":"from plain"}')
      await actor.send('a', 'from ours')
      await actor.until('a', { messages: [{ answer: 'from ours' }] })
      expect(witness).toMatchObject({ opened: 2, received: ['from plain', 'from ours'] })
    })

    it('are rejected from another origin, also with a plain WebSocket', async () => {
      const foreign = createServer(place.page)
      await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve))
      try {
        await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/page`)
        const { url } = place.server
        expect(await page.evaluate(eventsOf, `${url.replace('http', 'ws')}/ws/foreign`)).toEqual(['error', 'close'])
        await page.evaluate((to) => window.stage.show([{ name: 'a', path: '/ws/foreign' }], to), url)
        await actor.until('a', { status: 'failed', code: 'FORBIDDEN' })
        expect(place.witness('foreign').opened).toBe(0)
      } finally {
        await new Promise((resolve) => foreign.close(resolve))
      }
    })

    describe('behind a proxy that can be disconnected', () => {
      let cable: Cable

      beforeEach(async () => {
        cable = await layCable(place.server.port)
        await page.goto(`${cable.url}/page`)
      })
      afterEach(() => cable.close())

      it('deliver every message once and in order after being offline', async () => {
        const witness = place.witness('offline')
        const context = page.context()
        await actor.show({ name: 'a', path: '/ws/offline' })
        await actor.until('a', { status: 'open' })
        await actor.send('a', 0)
        await actor.until('a', { pending: 0, messages: [{ answer: 0 }] })
        await place.publish('offline', { n: 0 })
        await actor.until('a', { data: { n: 0 } })

        const numbers = Array.from({ length: 130 }, (_, index) => index + 1)
        const publish = async (from: number, to: number): Promise<void> => {
          for (const n of numbers.slice(from, to)) await place.publish('offline', { n })
        }
        // The first messages arrive without an acknowledgement; the next ones do not arrive.
        cable.hold('server')
        await actor.send('a', ...numbers.slice(0, 10))
        await soon(() => expect(witness.received).toHaveLength(11))
        await publish(0, 10)
        cable.hold('page')
        await actor.send('a', ...numbers.slice(10, 20))
        await context.setOffline(true)
        // Chromium pauses open sockets, but does not close them.
        cable.unplug()
        await soon(() => expect(witness.open).toBe(0))
        // More messages than the server accepts in one batch.
        expect(await actor.send('a', ...numbers.slice(20))).toBe(true)
        await publish(10, 130)
        await actor.until('a', { status: 'offline', pending: 130, messages: [{ answer: 0 }, { n: 0 }] })
        expect(witness.received).toHaveLength(11)

        cable.plug()
        await context.setOffline(false)
        await actor.until('a', { status: 'open', pending: 0, code: null })
        await soon(async () => expect((await actor.see('a')).messages).toHaveLength(262))
        const messages = (await actor.see('a')).messages as { n?: number; answer?: number }[]
        expect(messages.flatMap(({ n }) => n ?? [])).toEqual([0, ...numbers])
        expect(messages.flatMap(({ answer }) => answer ?? [])).toEqual([0, ...numbers])
        expect(witness).toEqual({ opened: 2, open: 1, received: [0, ...numbers] })
      })

      it('keep the connection of a page that was suspended for longer than the timeout', async () => {
        const witness = place.witness('suspended')
        await actor.show({ name: 'a', path: '/ws/suspended', settings: SETTINGS })
        await actor.until('a', { status: 'open' })
        const pages = await findPages(browser)
        // The page sends a probe, is suspended, and resumes long after the timeout, but before the response arrives.
        cable.hold('server')
        await page.evaluate(() => {
          window.stage.send('a', 'before')
          dispatchEvent(new Event('online'))
        })
        pages.suspend()
        try {
          await place.publish('suspended', 'meanwhile')
          await pass(3500)
        } finally {
          pages.resume()
        }
        await pass(100)
        cable.release()
        await actor.send('a', 'after')
        await actor.until('a', { status: 'open', pending: 0, data: { answer: 'after' } })
        expect((await actor.see('a')).messages).toHaveLength(3)
        // Longer than the timeout.
        await pass(1500)
        expect(witness).toEqual({ opened: 1, open: 1, received: ['before', 'after'] })
      })

      it('keep pending messages while the component is remounted', async () => {
        const witness = place.witness('remount')
        await actor.show({ name: 'a', path: '/ws/remount' })
        await actor.until('a', { status: 'open' })
        cable.unplug()
        await actor.until('a', { status: 'reconnecting' })
        await actor.send('a', 1, 2, 3)
        await actor.until('a', { pending: 3 })
        await actor.show()
        await actor.show({ name: 'b', path: '/ws/remount' })
        await actor.send('b', 4)
        await actor.until('b', { status: 'reconnecting', pending: 4 })
        cable.plug()
        await actor.until('b', { status: 'open', pending: 0 })
        expect(witness.received).toEqual([1, 2, 3, 4])
      })
    })
  })

  it('lose no message while the tab is frozen', async () => {
    const witness = place.witness('frozen')
    const page = await openQuietPage(browser, `${place.server.url}/page`)
    const actor = createActor(page.run)
    await actor.show({ name: 'a', path: '/ws/frozen', settings: SETTINGS })
    await actor.until('a', { status: 'open' })
    await page.run(setScene, null)

    await page.send('Page.setWebLifecycleState', { state: 'frozen' })
    const { ticks } = await page.run(readScene, null)
    await actor.send('a', 'frozen 1', 'frozen 2')
    await soon(() => expect(witness.received).toEqual(['frozen 1', 'frozen 2']))
    await place.publish('frozen', 'meanwhile')
    await pass(3000)
    expect(await page.run(readScene, null)).toMatchObject({ ticks })
    expect(await actor.see('a')).toMatchObject({ status: 'open', messages: [] })

    await page.send('Page.setWebLifecycleState', { state: 'active' })
    await actor.send('a', 'thawed')
    await soon(async () => {
      const { status, pending, messages } = await actor.see('a')
      expect({ status, pending, count: messages.length }).toEqual({ status: 'open', pending: 0, count: 4 })
      const answers = messages.filter((message) => message !== 'meanwhile')
      expect(answers).toEqual(['frozen 1', 'frozen 2', 'thawed'].map((answer) => ({ answer })))
    })
    // Chromium 156 itself closes every WebSocket of a page that thaws.
    const { isPlainOpen } = await page.run(readScene, null)
    const received = ['frozen 1', 'frozen 2', 'thawed']
    expect(witness).toEqual({ opened: isPlainOpen ? 1 : 2, open: 1, received })
    await page.close()
  })

  it('render many messages at most once per frame and keep the last 10,000', async () => {
    // `npm run bench -- messages` measures their cost.
    const page = await openQuietPage(browser, `${place.server.url}/production`)
    const { took, commits, kept, data } = await costOfWay(page, ours, MESSAGES)
    await page.close()
    expect(commits).toBeGreaterThan(1)
    expect(commits).toBeLessThan(took / 16 + 2)
    expect(kept).toEqual({ count: 10_000, first: MESSAGES - 9_999, last: MESSAGES })
    expect(data).toBe(MESSAGES)
  })
})

/** Runs in the page: returns the events of a plain WebSocket until it closes. */
function eventsOf(url: string): Promise<string[]> {
  const socket = new WebSocket(url)
  const events: string[] = []
  for (const name of ['open', 'error', 'close']) socket.addEventListener(name, () => events.push(name))
  return new Promise((resolve) => socket.addEventListener('close', () => resolve(events)))
}
