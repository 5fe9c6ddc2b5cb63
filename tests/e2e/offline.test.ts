import { openDatabase, table, type Database } from '@sdk/database'
import { createDatabase, hasChromium, launchBrowser, type Browser, type Page } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { startTaskService, type TaskService } from './offline/service.ts'

type Context = Awaited<ReturnType<Browser['newContext']>>

/** The number of mutations, and of the tabs that are killed while they wait or are sent. */
const [MUTATIONS, KILLS] = choose([500, 5], [40, 5])
/** The time for the mutations between two kills. A mutation takes almost a second on a busy machine. */
const PATIENCE_MS = choose(300_000, 60_000)

describe.skipIf(!hasChromium())('mutations with offline: true in a browser', () => {
  let browser: Browser
  let service: TaskService
  let database: Database | undefined
  let context: Context
  let users = 0
  let user = ''
  /** The uncaught errors of all pages. */
  const errors: Error[] = []

  beforeAll(async () => {
    database = choose(true, false) ? openDatabase(await createDatabase()) : undefined
    ;[browser, service] = await Promise.all([
      launchBrowser(),
      startTaskService(database && table('tasks', { database })),
    ])
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
    await database?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext()
    context.setDefaultTimeout(120_000)
    user = `user${++users}`
    errors.length = 0
    Object.assign(service, { busy: 0, hasSession: true, rejected: 0, delayMs: 3 })
    service.log.length = 0
  })
  afterEach(async () => {
    await context.close()
    expect(errors).toEqual([])
  })

  async function open(search = ''): Promise<Page> {
    const page = await context.newPage()
    page.on('pageerror', (error) => errors.push(error))
    await page.goto(`${service.url}/${search}#${user}`)
    await page.waitForFunction('window.app')
    return page
  }

  /** Kills the renderer of a tab, as an operating system would. */
  async function kill(page: Page): Promise<void> {
    const crashed = new Promise((resolve) => page.once('crash', resolve))
    const devtools = await context.newCDPSession(page)
    void devtools.send('Page.crash').catch(() => {})
    await crashed
    await page.close()
  }

  const run = <T>(page: Page, code: string): Promise<T> => page.evaluate<T>(code)
  const items = (page: Page): Promise<unknown[]> => run(page, 'app.items()')
  const results = (page: Page): Promise<unknown[]> => run(page, 'app.results')
  const newest = async (page: Page): Promise<unknown> => (await results(page)).at(-1)
  const isEmpty = async (page: Page): Promise<void> => {
    await expect.poll(() => items(page), { timeout: PATIENCE_MS }).toEqual([])
  }

  const MANY = { timeout: choose(1_200_000, 300_000) }
  it(`sends ${MUTATIONS} mutations exactly once and in order, although ${KILLS} tabs are killed`, MANY, async () => {
    const first = await open()
    await context.setOffline(true)
    await run(
      first,
      `for (let n = 0, id; n < ${MUTATIONS}; n++)
        if (n % 2 === 0) id = app.create({ n })
        else app.change(String(id), { step: n, parent: id })`,
    )
    await expect.poll(async () => (await items(first)).length, { timeout: PATIENCE_MS }).toBe(MUTATIONS)
    expect(service.log).toEqual([])
    await kill(first)
    await context.setOffline(false)
    // The first tab sends, and the second takes over when the first is killed.
    const tabs = [await open(), await open()]
    for (let kills = 1; kills < KILLS; kills++) {
      const count = Math.floor((kills * MUTATIONS) / KILLS)
      await expect.poll(() => service.log.length, { interval: 1, timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(count)
      await kill(tabs.shift() as Page)
      tabs.push(await open())
    }
    await isEmpty(tabs[0] as Page)
    expect(service.log).toEqual(Array.from({ length: MUTATIONS }, (_, n) => n))
    const rows = (await run(
      tabs[0] as Page,
      `fetch('/api/v1/tasks?limit=100&sort=id', { headers: { authorization: 'Bearer ${user}' } }).then((r) => r.json())`,
    )) as { data: { id: number; n: number; step: number; parent: number }[] }
    for (const { id, n, step, parent } of rows.data) expect([step, parent]).toEqual([n + 1, id])
  })

  it('fails a rejected mutation and those that name its id, and sends the others', async () => {
    const page = await open()
    await context.setOffline(true)
    await run(
      page,
      `const bad = app.create({ n: -1 })
       app.change(bad, { step: 1 })
       const good = app.create({ n: 2 })
       app.create({ n: 3, parent: bad })
       app.create({ n: 4, parent: good })
       app.remove(good)`,
    )
    await expect.poll(async () => (await items(page)).length).toBe(6)
    await context.setOffline(false)
    await isEmpty(page)
    const [, , made, , child, gone] = (await results(page)) as { id: number }[]
    expect(await results(page)).toMatchObject([
      'INVALID_REQUEST',
      'NOT_FOUND',
      { n: 2 },
      'NOT_FOUND',
      { n: 4 },
      { n: 2 },
    ])
    expect([child, gone]).toMatchObject([{ parent: made?.id }, { id: made?.id }])
    expect(service.log).toEqual([2, 4, `deleted ${made?.id}`])
    // Components may still know the row by its temporary id.
    await run(page, `window.known = app.create({ n: 5 })`)
    await expect.poll(() => newest(page)).toMatchObject({ n: 5 })
    const { id } = (await newest(page)) as { id: number }
    await run(page, `app.create({ n: 6, parent: known })`)
    await expect.poll(() => newest(page)).toMatchObject({ n: 6, parent: id })
  })

  it('waits while the server is busy or the session has ended, and keeps the order', async () => {
    const page = await open()
    service.busy = 1
    await run(page, `app.create({ n: 1 }); app.create({ n: 2 }); app.create({ n: 3 })`)
    await expect.poll(() => results(page)).toMatchObject([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(service.log).toEqual([1, 2, 3])
    service.hasSession = false
    await run(page, `app.create({ n: 4 }); app.create({ n: 5 })`)
    await expect.poll(() => service.rejected).toBeGreaterThan(0)
    service.hasSession = true
    await run(page, 'app.retry()')
    await expect.poll(() => service.log).toEqual([1, 2, 3, 4, 5])
  })

  it('keeps the queues of users apart', async () => {
    const page = await open()
    await context.setOffline(true)
    await run(page, `app.create({ n: 1 })`)
    await expect.poll(async () => (await items(page)).length).toBe(1)
    await run(page, `app.become('other-${user}')`)
    await expect.poll(() => items(page)).toEqual([])
    await run(page, `app.create({ n: 2 })`)
    await context.setOffline(false)
    await expect.poll(() => service.log).toEqual([2])
    await run(page, `app.become('${user}')`)
    await expect.poll(() => service.log).toEqual([2, 1])
  })

  it('answers callers in every tab, and sends each mutation once', async () => {
    const [one, two] = [await open(), await open()]
    await context.setOffline(true)
    await run(one, `app.create({ n: 1 })`)
    await expect.poll(async () => (await items(two)).length).toBe(1)
    await run(two, `app.create({ n: 2 }); app.create({ n: -1 })`)
    await expect.poll(async () => (await items(one)).length).toBe(3)
    await context.setOffline(false)
    await expect.poll(() => results(one)).toMatchObject([{ n: 1 }])
    await expect.poll(() => results(two)).toMatchObject([{ n: 2 }, 'INVALID_REQUEST'])
    expect(service.log).toEqual([1, 2])
    await isEmpty(one)
    await isEmpty(two)
  })

  it('keeps a mutation that was rejected after a reload, until it is repeated or discarded', async () => {
    const page = await open()
    await context.setOffline(true)
    await run(page, `app.change(app.create({ n: -1 }), { step: 1 })`)
    await expect.poll(async () => (await items(page)).length).toBe(2)
    await kill(page)
    await context.setOffline(false)
    const next = await open()
    const rejected = [
      ['POST /api/v1/tasks', { n: -1 }, 'INVALID_REQUEST'],
      ['PATCH /api/v1/tasks/:id', { step: 1 }, 'NOT_FOUND'],
    ]
    await expect.poll(() => items(next)).toEqual(rejected)
    await run(next, 'app.retry()')
    await expect.poll(() => items(next)).toEqual(rejected)
    await run(next, 'app.discard(0)')
    await expect.poll(() => items(next)).toEqual(rejected.slice(1))
    await run(next, 'app.discard()')
    await isEmpty(next)
  })

  it('lets the user sign out only without waiting mutations, or discards them', async () => {
    const page = await open()
    await context.setOffline(true)
    await run(page, `app.create({ n: 1 })`)
    await expect.poll(async () => (await items(page)).length).toBe(1)
    expect(await run(page, 'app.signOut()')).toBe('OUTBOX_NOT_EMPTY')
    expect(await run(page, 'app.signOut({ discard: true })')).toBe('signed out')
    await context.setOffline(false)
    await run(page, `app.become('${user}'); app.create({ n: 2 })`)
    await expect.poll(() => newest(page)).toMatchObject({ n: 2 })
    expect(service.log).toEqual([2])
    expect(await run(page, 'app.signOut()')).toBe('signed out')
  })

  it('discards a mutation that was cancelled or discarded in another tab', async () => {
    const [one, two] = [await open(), await open()]
    await context.setOffline(true)
    await run(one, `app.create({ n: 1 })`)
    await expect.poll(async () => (await items(two)).length).toBe(1)
    await run(two, 'app.discard(0)')
    await isEmpty(one)
    await run(one, `app.create({ n: 2 })`)
    await expect.poll(async () => (await items(one)).length).toBe(1)
    await run(one, 'app.cancel()')
    await isEmpty(one)
    await context.setOffline(false)
    await run(one, `app.create({ n: 3 })`)
    await expect.poll(() => newest(one)).toMatchObject({ n: 3 })
    expect(service.log).toEqual([3])
  })

  it('updates a live list after all mutations, without removing or repeating a row', async () => {
    const page = await open('?live')
    await expect.poll(() => run(page, 'app.isLive')).toBe(true)
    await context.setOffline(true)
    await expect.poll(() => run(page, 'app.isLive')).toBe(false)
    const rows = Array.from({ length: 10 }, (_, index) => 1_000 + index)
    await run(page, `for (const n of ${JSON.stringify(rows)}) app.create({ n })`)
    await expect.poll(async () => (await items(page)).length).toBe(rows.length)
    // All mutations take longer than the time for which live data is held.
    service.delayMs = 150
    await run(page, 'app.shown.splice(0, app.shown.length - 1)')
    await context.setOffline(false)
    await isEmpty(page)
    await expect.poll(() => run(page, 'app.isLive'), { timeout: 20_000 }).toBe(true)
    expect(service.log).toEqual(rows)
    await run(page, `app.create({ n: 2_000 })`)
    await expect.poll(() => newest(page)).toMatchObject({ n: 2_000 })
    const shown = await run<string[]>(page, 'app.shown')
    const own = shown.map((state) => (JSON.parse(state) as number[]).filter((n) => n >= 1_000 && n < 2_000))
    expect(new Set(own.map(String))).toEqual(new Set([String(rows.toReversed())]))
  })

  it('rejects mutations beyond 5 MB', async () => {
    const page = await open()
    await context.setOffline(true)
    await run(page, `for (let n = 0; n < 6; n++) app.create({ n, text: 'x'.repeat(999_000) })`)
    await expect.poll(() => results(page)).toEqual([null, null, null, null, null, 'OUTBOX_FULL'])
    await expect.poll(async () => (await items(page)).length).toBe(5)
    await run(page, 'app.discard(0)')
    await expect.poll(async () => (await items(page)).length).toBe(4)
    await run(page, `app.create({ n: 7 })`)
    await expect.poll(async () => (await items(page)).length).toBe(5)
  })

  it('sends mutations that name a new row after more than a week offline', async () => {
    const page = await open()
    await context.setOffline(true)
    await run(page, `const id = app.create({ n: 1 }); app.change(id, { step: 2 }); app.create({ n: 3, parent: id })`)
    await expect.poll(async () => (await items(page)).length).toBe(3)
    await run(page, `window.now = Date.now; Date.now = () => now() + 8 * 86_400_000`)
    await context.setOffline(false)
    await isEmpty(page)
    expect(await results(page)).toMatchObject([{ n: 1 }, { n: 1, step: 2 }, { n: 3 }])
    expect(service.log).toEqual([1, 2, 3])
  })

  it('does not repeat a mutation 23 hours after its first attempt, because its result is unknown', async () => {
    const page = await open()
    service.busy = 1_000
    await run(page, `app.create({ n: 1 })`)
    await expect.poll(() => service.busy).toBeLessThan(1_000)
    const before = service.busy
    await run(page, `window.now = Date.now; Date.now = () => now() + 22 * 3_600_000; app.retry()`)
    await expect.poll(() => service.busy).toBeLessThan(before)
    service.busy = 0
    await run(page, `Date.now = () => now() + 24 * 3_600_000; app.retry()`)
    await expect.poll(() => results(page)).toEqual(['OUTBOX_EXPIRED'])
    expect(service.log).toEqual([])
  })
})
