import { hasChromium } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { soon } from './soon.ts'
import { setStage } from './storm/stage.ts'

/** Every hook on one page in StrictMode. After each test, the stage checks for errors and for data of other users. */
describe.skipIf(!hasChromium())('a page with all hooks', () => {
  const stage = setStage()

  it('aborts streams at sign-out and sends no queued request as the next user', async () => {
    const { place } = stage
    const [ada, bob] = [stage.newcomer('Ada'), stage.newcomer('Bob')]
    const gates = ['item 1', 'first'].map((what) => place.hold(what))
    const tab = await stage.open()
    await tab.signUp(bob)
    await tab.signOut()
    await tab.signUp(ada)
    await tab.show({ item: 1 })
    await tab.page.evaluate(() => window.storm.talk())
    await tab.page.evaluate(() => window.storm.save('first', 'second', 'third'))
    await soon(async () => expect((await tab.page.evaluate(() => window.storm.received())).length).toBeGreaterThan(3))
    await soon(() => expect(place.visits.map(({ what }) => what).toSorted()).toEqual(['first', 'item 1', 'talk']))
    await tab.signOut()
    await soon(() => expect(place.visits.find(({ what }) => what === 'talk')?.isGone).toBe(true))
    await tab.signIn(bob)
    for (const gate of gates) gate.open()
    await tab.until(bob.email, [`item 1 of ${bob.email}`])
    await tab.page.evaluate(() => window.storm.save('fourth'))
    await tab.until(bob.email, [`fourth of ${bob.email}`, `item 1 of ${bob.email}`])
    const writes = place.visits.filter(({ what }) => /^(?:first|second|third|fourth)$/.test(what))
    expect(writes.map(({ what, who }) => `${what} ${who}`)).toEqual([`first ${ada.email}`, `fourth ${bob.email}`])
  })

  it('follows repeated sign-ins and sign-outs of another tab with its socket and route', async () => {
    const { place } = stage
    const people = [stage.newcomer('Ada'), stage.newcomer('Bob')] as const
    const [first, second] = [await stage.open(), await stage.open()]
    for (const account of people) {
      await first.signUp(account)
      await first.signOut()
    }
    await second.show({ item: 1, team: 'red' })
    for (const account of [...people, ...people]) {
      await first.signIn(account)
      await second.until(account.email, [`hello of ${account.email}`, `item 1 of ${account.email}`])
      await first.signOut()
      await second.until('nobody', ['hello of nobody', 'item 1 of nobody'])
    }
    await soon(() => expect([...place.guests]).toEqual(['nobody red']))
    expect(await second.page.evaluate(() => window.storm.held().sockets)).toBe(1)
  })

  it('updates the user when it is restored from the back/forward cache', async () => {
    const { place } = stage
    const [ada, bob] = [stage.newcomer('Ada'), stage.newcomer('Bob')]
    const tab = await stage.open()
    await tab.signUp(bob)
    await tab.signOut()
    await tab.signUp(ada)
    await tab.show({ item: 1 })
    await tab.until(ada.email, [`item 1 of ${ada.email}`])
    for (const { email, password } of [bob, ada]) {
      await tab.page.evaluate(() => Reflect.set(window, 'isKept', true))
      await tab.page.goto(`${place.url}/elsewhere`)
      const status = await tab.page.evaluate(
        async (account) => {
          const send = (path: string, body: object): Promise<Response> =>
            fetch(`/api/auth/${path}`, {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(body),
            })
          return [(await send('sign-out', {})).status, (await send('sign-in/email', account)).status]
        },
        { email, password },
      )
      expect(status).toEqual([200, 200])
      await tab.page.goBack({ waitUntil: 'commit' })
      expect(await tab.page.evaluate(() => Reflect.get(window, 'isKept') as unknown)).toBe(true)
      await tab.until(email, [`item 1 of ${email}`])
    }
  })

  it.each(['immediately', 'in a transition'] as const)('shows the last of many params that change %s', async (how) => {
    const { place } = stage
    const ada = stage.newcomer('Ada')
    const tab = await stage.open()
    await tab.signUp(ada)
    for (let id = 2; id < 30; id++) place.hold(`item ${id}`)
    const isLater = how === 'in a transition'
    await tab.page.evaluate(async (later) => {
      for (let id = 1; id <= 30; id++) {
        window.storm.show({ item: id, suspended: id }, later)
        await new Promise((resolve) => setTimeout(resolve, id === 1 ? 500 : 5))
      }
    }, isLater)
    const last = `item 30 of ${ada.email}`
    await tab.until(ada.email, [last, last])
    const history = await tab.page.evaluate(() => window.storm.history())
    const wrong = history.filter(({ view, texts }) =>
      texts.some((text) => text !== `item ${view.item} of ${ada.email}`),
    )
    expect(wrong.filter(({ view }) => view.item !== undefined)).toEqual([])
    // Each at most once for either component.
    const requests = await tab.page.evaluate(() => window.storm.requests())
    const items = requests.filter((request) => request.startsWith('GET /api/items'))
    expect(items.length).toBeLessThanOrEqual(60)
    expect(items.filter((item) => item.endsWith('/30'))).toHaveLength(2)
  })

  it('keeps one socket and sends few requests when the network and the clock change', async () => {
    const { place } = stage
    const ada = stage.newcomer('Ada')
    const tab = await stage.open()
    await tab.signUp(ada)
    await tab.show({ item: 1, team: 'red' })
    const texts = [`hello of ${ada.email}`, `item 1 of ${ada.email}`]
    await tab.until(ada.email, texts)
    const before = (await tab.page.evaluate(() => window.storm.requests())).length
    const flips = 10
    for (let flip = 0; flip < flips; flip++) {
      await tab.page.context().setOffline(true)
      await tab.page.evaluate(() => window.storm.say('while offline'))
      await tab.page.context().setOffline(false)
    }
    const received = async (): Promise<number> =>
      tab.page.evaluate(() => window.storm.see().texts.filter((text) => text.startsWith('while offline')).length)
    await soon(async () => expect(await received()).toBe(flips))
    // A day forward and back: tokens seem expired, then issued in the future.
    for (const jump of [86_400_000, -86_400_000]) {
      await tab.page.evaluate((ms) => {
        const { now } = Date
        Date.now = () => now() + ms
        for (let turn = 0; turn < 10; turn++) window.dispatchEvent(new Event('focus'))
      }, jump)
      await tab.page.evaluate(() => window.storm.save('after a jump'))
      await soon(async () =>
        expect(JSON.stringify(await tab.page.evaluate(() => window.storm.see()))).toContain('after a jump'),
      )
    }
    expect((await tab.page.evaluate(() => window.storm.held())).sockets).toBe(1)
    expect([...place.guests]).toEqual([`${ada.email} red`])
    const after = (await tab.page.evaluate(() => window.storm.requests())).length
    // One refetch for each flip, which may be retried; session, token and call for each jump.
    expect(after - before).toBeLessThanOrEqual(flips * 3 + 10)
  })

  it('closes all sockets and removes all listeners on unmount', async () => {
    const { place } = stage
    const tab = await stage.open()
    await tab.until('nobody', [])
    const before = await tab.page.evaluate(() => window.storm.held())
    for (let turn = 0; turn < 20; turn++)
      await tab.show(turn % 2 === 0 ? { item: turn, suspended: turn, team: `${turn}` } : {})
    await tab.show({ item: 1, team: 'last' })
    await tab.until('nobody', ['hello of nobody', 'item 1 of nobody'])
    await tab.show({})
    await soon(async () => expect(await tab.page.evaluate(() => window.storm.held())).toEqual(before))
    await soon(() => expect(place.guests.size).toBe(0))
  })
})
