import { createApp, createResource, createRouter, memoryStore, serve, type Log, type Server } from '@sdk/server'
import { type Browser, hasChromium, launchBrowser, type Page } from '@sdk/test-kit'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bundle, toHtml } from './bundle.ts'
import { LIVE_PAGE } from './live/page.ts'
import { userTokens } from './user-tokens.ts'

/** A state of the page. */
interface Seen {
  user: string | null
  isLive: boolean
  titles: string[]
  pages: string[]
  error: string | null
}

describe.skipIf(!hasChromium())('live data in a browser', () => {
  /** The time after which the server is notified of a change, in ms. */
  let noticeDelay = 0
  /** Responses to new tasks wait for it. */
  let release: Promise<void> | undefined
  const tasks = createResource('tasks', {
    schema: z.object({ title: z.string().max(99), ownerId: z.string().max(99).default('') }),
    store(shape) {
      const store = memoryStore()(shape)
      const { watch } = store
      const later = (run: () => void): unknown => (noticeDelay > 0 ? setTimeout(run, noticeDelay) : run())
      return Object.assign(store, {
        watch: (onChange: (ids: readonly number[] | null) => void) => watch?.((ids) => void later(() => onChange(ids))),
      })
    },
    access: ({ user }) => (user ? { ownerId: user.id } : false),
    assign: ({ user }) => ({ ownerId: user.id }),
    live: true,
  })
  let html = ''
  let server: Server
  let browser: Browser
  let pages: Page[] = []
  /** The requests of all pages. */
  const requests: string[] = []

  async function start(port = 0): Promise<void> {
    const quiet = (): void => {}
    const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
    const router = createRouter()
      .use('/api/*', userTokens)
      .use('/ws/*', userTokens)
      .use('/api/*', async (ctx, next) => {
        // Lets others change data between an optimistic change and its response.
        if (ctx.request.method === 'PATCH') await sleep(30)
        const response = await next()
        if (ctx.request.method === 'POST') await release
        return response
      })
      .resource('v1', tasks)
    server = await serve(createApp({ log, router, rateLimit: false }), {
      port,
      signals: false,
      survive: false,
      fallback: (_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html),
    })
  }

  beforeAll(async () => {
    html = toHtml('Live data', await bundle({ files: { 'page.tsx': LIVE_PAGE }, mode: 'development' }))
    ;[browser] = await Promise.all([launchBrowser(), start()])
  })
  beforeEach(() => {
    noticeDelay = 0
    release = undefined
    requests.length = 0
    pages = []
  })
  afterEach(async () => {
    await Promise.all(pages.map((page) => page.context().close()))
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close({ grace: 100 })
  })

  /** Opens the page in a browser of its own. */
  async function open(user: string): Promise<Page> {
    const context = await browser.newContext()
    const page = await context.newPage()
    pages.push(page)
    page.on('request', (request) => request.url().includes('/api/') && requests.push(request.url()))
    await page.goto(`${server.url}/#${user}`)
    await shows(page, { isLive: true })
    return page
  }

  async function see(page: Page): Promise<Seen> {
    return JSON.parse(await page.getByRole('status').innerText()) as Seen
  }

  async function shows(page: Page, state: Partial<Seen>): Promise<void> {
    await expect.poll(() => see(page), { interval: 20 }).toMatchObject(state)
  }

  /** Returns all states that the components of the page had. */
  const history = (page: Page): Promise<Seen[]> => page.evaluate('seen')

  /** Returns all states that the browser has drawn. */
  const drawn = async (page: Page): Promise<Seen[]> =>
    (await page.evaluate<string[]>('drawn')).map((text) => JSON.parse(text) as Seen)

  async function call(user: string, method: string, path: string, body?: unknown): Promise<{ id: number }> {
    const headers = { authorization: `Bearer ${user}`, 'content-type': 'application/json' }
    const response = await fetch(`${server.url}/api/v1/tasks${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    expect(response.ok).toBe(true)
    return (await response.json()) as { id: number }
  }

  const add = async (user: string, title: string): Promise<number> => (await call(user, 'POST', '', { title })).id

  it('shows changes of others without requests, page by page, and only to its owner', async () => {
    for (const title of ['a', 'b', 'c', 'd', 'e']) await add('ada', title)
    const [one, two, other] = [await open('ada'), await open('ada'), await open('bob')]
    for (const count of [4, 5]) {
      await one.evaluate('more()')
      await expect.poll(async () => (await see(one)).pages.length).toBe(count)
    }
    await shows(one, { isLive: true, pages: ['e', 'd', 'c', 'b', 'a'] })
    requests.length = 0
    const id = await add('ada', 'f')
    await shows(one, { titles: ['a', 'b', 'c', 'd', 'e', 'f'], pages: ['f', 'e', 'd', 'c', 'b', 'a'].slice(0, 6) })
    await shows(two, { titles: ['a', 'b', 'c', 'd', 'e', 'f'], pages: ['f', 'e'] })
    await call('ada', 'DELETE', `/${id}`)
    await shows(one, { titles: ['a', 'b', 'c', 'd', 'e'], pages: ['e', 'd', 'c', 'b', 'a'] })
    await shows(two, { titles: ['a', 'b', 'c', 'd', 'e'] })
    expect(requests).toEqual([])
    for (const { titles } of await history(other)) expect(titles).toEqual([])
    // No state shows a task twice.
    for (const { pages: shown } of await history(one)) expect(new Set(shown).size).toBe(shown.length)
  })

  it('never shows an older state of an optimistic edit, while another browser edits, too', async () => {
    const [mine, theirs] = [await add('eva', 'mine 0'), await add('eva', 'theirs 0')]
    const [one, two] = [await open('eva'), await open('eva')]
    await shows(one, { titles: ['mine 0', 'theirs 0'] })
    await shows(two, { titles: ['mine 0', 'theirs 0'] })
    const edit = (page: Page, id: number, name: string): Promise<unknown> =>
      page.evaluate(
        async ([task, text]) => {
          for (let n = 1; n <= 25; n++) {
            await Reflect.get(window, 'edit')(task, `${text} ${n}`)
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
        },
        [id, name] as const,
      )
    // Responses arrive before the changes, which only a sync sends earlier.
    noticeDelay = 150
    const framesBefore = await one.evaluate<number>('frameCount')
    await Promise.all([edit(one, mine, 'mine'), edit(two, theirs, 'theirs')])
    expect(await one.evaluate<number>('frameCount')).toBeGreaterThan(framesBefore + 25)
    for (const page of [one, two]) {
      await shows(page, { isLive: true, titles: ['mine 25', 'theirs 25'] })
      for (const all of [await history(page), await drawn(page)]) {
        const states = all.filter(({ titles }) => titles.length === 2)
        expect(states.length).toBeGreaterThan(25)
        for (const index of [0, 1]) {
          const numbers = states.map(({ titles }) => Number(titles[index]?.split(' ')[1]))
          expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
        }
      }
    }
  })

  it('shows a new row once, however late the response is, while others change the list', async () => {
    const first = await add('ivy', 'first')
    const page = await open('ivy')
    let respond = (): void => {}
    release = new Promise((resolve) => (respond = resolve))
    await page.evaluate(`void create('mine')`)
    await shows(page, { titles: ['mine', 'first'], pages: ['mine', 'first'] })
    await call('ivy', 'PATCH', `/${first}`, { title: 'changed' })
    // The live data contains the new row, too.
    await shows(page, { titles: ['mine', 'changed'], pages: ['mine', 'changed'] })
    respond()
    await shows(page, { titles: ['changed', 'mine'], pages: ['mine', 'changed'] })
    const all = [...(await history(page)), ...(await drawn(page))]
    const states = all.flatMap(({ titles, pages: shown }) => [titles, shown])
    expect(new Set(states.filter((titles) => titles.includes('mine')).map(({ length }) => length))).toEqual(
      new Set([2]),
    )
    expect(new Set(states.map((titles) => titles.filter((title) => title === 'mine').length))).toEqual(new Set([0, 1]))
  })

  it('is live again after a restart of the server, and shows what changed in the meantime', async () => {
    const id = await add('ina', 'before')
    const page = await open('ina')
    await shows(page, { titles: ['before'] })
    const port = Number(new URL(server.url).port)
    await server.close({ grace: 0 })
    await shows(page, { isLive: false, titles: ['before'] })
    await start(port)
    await call('ina', 'PATCH', `/${id}`, { title: 'after' })
    await shows(page, { isLive: true, titles: ['after'] })
    await call('ina', 'PATCH', `/${id}`, { title: 'later' })
    await shows(page, { isLive: true, titles: ['later'] })
    expect((await history(page)).filter(({ error }) => error !== null)).toEqual([])
  })

  it('continues when the browser is online again', async () => {
    const id = await add('uma', 'before')
    const page = await open('uma')
    await page.context().setOffline(true)
    await shows(page, { isLive: false, titles: ['before'] })
    await call('uma', 'PATCH', `/${id}`, { title: 'after' })
    await page.context().setOffline(false)
    await shows(page, { isLive: true, titles: ['after'] })
  })

  it('shows the data of the next user, and none after a sign-out', async () => {
    await add('joe', 'of joe')
    await add('zoe', 'of zoe')
    const page = await open('joe')
    await shows(page, { titles: ['of joe'] })
    await page.evaluate(`become('zoe')`)
    await shows(page, { isLive: true, titles: ['of zoe'], pages: ['of zoe'] })
    await page.evaluate('become(null)')
    await shows(page, { isLive: false, titles: [], pages: [] })
    await add('zoe', 'secret')
    await sleep(200)
    for (const { user, titles, pages: shown } of await history(page))
      for (const title of [...titles, ...shown]) expect(title).toBe(`of ${user}`)
  })
})
