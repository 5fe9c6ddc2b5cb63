import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Database } from '@sdk/database'
import {
  ApiError,
  createApp,
  createLog,
  createRouter,
  type Agent,
  type App,
  type Middleware,
  type Resource,
  type Router,
} from '@sdk/server'
import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPage } from './check/page.ts'
import { toSteps } from './check/project.ts'
import { shownIn } from './shown.ts'
import { writeFiles, writePage } from './write-page.ts'

/** The tested pages. They share one project, since only their routers have the same file name. */
const PAGES = 'uploads pagination seeding full-text-search soft-delete caching error-format logging'

const FILES =
  'database seed seed-users report-errors api/photos api/videos api/done api/tasks api/articles api/suggest ' +
  'api/documents api/trash api/rates api/coupons api/orders'

interface Modules {
  photos: Router
  videos: Router
  done: Router
  tasks: Resource
  articles: Resource
  search: Router
  documents: Resource
  trash: Resource
  rates: Router
  coupons: Router
  orders: Router
  database: Database
  createSearchIndex(): Promise<void>
  suggest(ownerId: string, text: string): Promise<unknown>
  seed(): Promise<void>
  seedUser(user: { name: string; email: string; password: string }): Promise<void>
  purge: Agent
  reportErrors(report: (error: unknown, requestId: string) => void): Middleware
}

describe('how-to guides about data and operation', () => {
  let modules: Modules
  let inner: App
  let app: TestApp
  let ada: TestApp
  let folder: string
  beforeAll(async () => {
    folder = (await writePage('docs/guide/first-app.md')).path
    for (const name of PAGES.split(' '))
      writeFiles(folder, toSteps(readPage(`docs/how-to/${name}.md`)).at(-1) ?? new Map())
    process.env['UPLOAD_DIR'] = join(folder, 'uploads')
    const load = async (file: string): Promise<object> =>
      (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'src', file)).href)) as object
    modules = {} as Modules
    for (const file of FILES.split(' ')) Object.assign(modules, await load(`${file}.ts`))
    Object.assign(modules, { purge: ((await load('agent/purge/index.ts')) as { default: Agent }).default })
    const router = createRouter()
      .resource('v1', modules.tasks)
      .resource('v1', modules.articles)
      .resource('v1', modules.documents)
      .resource('v1', modules.trash)
      .mount('/api/photos', modules.photos)
      .mount('/api/videos', modules.videos)
      .mount('/api/done', modules.done)
      .mount('/api/search', modules.search)
      .mount('/api/rates', modules.rates)
      .mount('/api/coupons', modules.coupons)
      .onStart(modules.createSearchIndex)
    inner = createApp({ agents: [modules.purge], router, log: createLog({ level: 'silent' }) })
    app = await testApp(inner)
    ada = app.as({ name: 'Ada', id: 'ada' })
  })
  afterAll(async () => {
    delete process.env['UPLOAD_DIR']
    await app?.close()
    await modules?.database?.close()
  })

  it('store uploads under generated names and send them as attachments', async () => {
    const form = new FormData()
    form.set('photo', new File(['abc'], '../../tea.html'))
    await expect(app.call('POST /api/photos', form)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    const { id, bytes } = (await ada.call('POST /api/photos', form)) as { id: string; bytes: number }
    expect([bytes, existsSync(join(folder, 'uploads', id))]).toEqual([3, true])
    const sent = await app.send('GET /api/photos/:id', { params: { id } })
    expect([await sent.text(), sent.headers.get('content-disposition')]).toEqual(['abc', 'attachment'])
    for (const [wrong, status] of [
      ['..%2Fpackage.json', 400],
      [crypto.randomUUID(), 404],
    ] as const)
      expect((await inner.fetch(new Request(`http://localhost/api/photos/${wrong}`))).status).toBe(status)
    const { ids } = (await ada.call('POST /api/videos', form)) as { ids: string[] }
    expect(ids).toHaveLength(1)
    await expect(ada.call('POST /api/photos', new FormData())).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    form.set('photo', new File([new Uint8Array(5_000_001)], 'large'))
    await expect(ada.call('POST /api/photos', form)).rejects.toMatchObject({ code: 'CONTENT_TOO_LARGE' })
  })

  it('seed rows and users once and paginate a custom list', async () => {
    for (let run = 0; run < 2; run++) {
      await modules.seed()
      await modules.seedUser({ name: 'Ada', email: 'ada@example.com', password: 'a long password' })
    }
    expect(await modules.database.query('select title, done from tasks order by id')).toEqual([
      { title: 'Buy tea', done: false },
      { title: 'Wash the cups', done: true },
    ])
    expect(await modules.database.query('select name from "user"')).toEqual([{ name: 'Ada' }])
    await app.call('POST /api/v1/tasks', { title: 'Rest', done: true })
    const first = await app.call('GET /api/done', { query: { limit: 1 } })
    expect(first).toMatchObject({ data: [{ title: 'Rest' }], pagination: { hasMore: true } })
    const cursor = (first as { pagination: { nextCursor: string } }).pagination.nextCursor
    const last = await app.call('GET /api/done', { query: { limit: 1, cursor } })
    expect(last).toMatchObject({ data: [{ title: 'Wash the cups' }], pagination: { hasMore: false, nextCursor: null } })
    const forged = btoa(JSON.stringify(['done', 1, ['x']])).replaceAll('=', '')
    await expect(app.call('GET /api/done', { query: { cursor: forged } })).rejects.toMatchObject({ status: 400 })
  })

  it("find the caller's articles by words and by a part of the title", async () => {
    await ada.call('POST /api/v1/articles', { title: 'Tea', body: 'Wash the cups 100% before you pour.' })
    await ada.call('POST /api/v1/articles', { title: 'Milk_100', body: 'Some like it cold.' })
    expect(await ada.call('GET /api/search', { query: { q: 'washing a cup -milk' } })).toMatchObject({
      rows: [{ title: 'Tea', snippet: '[Wash] the [cups] 100% before you pour.' }],
    })
    expect(await app.as({ name: 'Eve' }).call('GET /api/search', { query: { q: 'tea' } })).toEqual({ rows: [] })
    expect(await ada.call('GET /api/search', { query: { q: '((&|' } })).toEqual({ rows: [] })
    expect(await modules.suggest('ada', 'k_1')).toEqual([{ title: 'Milk_100' }])
    expect(await modules.suggest('ada', '%')).toEqual([])
    const indexes = await modules.database.query("select 1 from pg_indexes where indexname = 'articles_search'")
    expect(indexes).toHaveLength(1)
  })

  it('hide deleted rows, restore them, and purge them', async () => {
    const { id } = (await ada.call('POST /api/v1/documents', { title: 'Plan' })) as { id: number }
    const params = { id }
    await expect(ada.call('POST /api/v1/documents', { title: 'X', deletedAt: null })).rejects.toMatchObject({
      status: 400,
    })
    expect(await ada.call('DELETE /api/v1/documents/:id', { params })).toMatchObject({ title: 'Plan' })
    expect(await ada.call('GET /api/v1/documents')).toMatchObject({ data: [] })
    for (const route of ['GET /api/v1/documents/:id', 'DELETE /api/v1/documents/:id'])
      await expect(ada.call(route, { params })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const deleted = { query: { 'deletedAt[null]': false } }
    expect(await ada.call('GET /api/v1/trash', deleted)).toMatchObject({ data: [{ title: 'Plan' }] })
    expect(await app.as({ name: 'Eve' }).call('GET /api/v1/trash', deleted)).toMatchObject({ data: [] })
    await ada.call('PATCH /api/v1/trash/:id', { deletedAt: null }, { params })
    expect(await ada.call('GET /api/v1/documents')).toMatchObject({ data: [{ title: 'Plan' }] })
    // The rows of a request with a key are deleted in a transaction with its own store.
    await ada.call('DELETE /api/v1/documents/:id', { params, headers: { 'Idempotency-Key': 'delete-7' } })
    expect(await ada.call('GET /api/v1/trash', deleted)).toMatchObject({ data: [{ title: 'Plan' }] })
    await modules.database.query("update documents set deleted_at = now() - interval '31 days'")
    await app.agent('purge').call(undefined)
    expect(await modules.database.query('select 1 from documents')).toEqual([])
  })

  it('cache a response for all users', async () => {
    const response = await app.send('GET /api/rates/:currency', { params: { currency: 'USD' } })
    expect(response.headers.get('cache-control')).toBe('public, max-age=60')
    expect(await response.json()).toEqual({ currency: 'USD', rate: 1.1 })
    expect(await inner.kv.get('cache', 'USD')).toEqual({ currency: 'USD', rate: 1.1 })
    const refused = await app.send('GET /api/rates/:currency', { params: { currency: 'XXX' } })
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([400, 'no-store'])
  })

  it('show the JSON of an error', async () => {
    const page = readPage('docs/how-to/error-format.md')
    const shown = JSON.parse(page.blocks.find(({ language }) => language === 'json')?.text ?? '') as object
    expect(await (await app.send('POST /api/coupons', { code: 'no' })).json()).toEqual(shown)
    await expect(app.call('POST /api/coupons', { code: 'USED' })).rejects.toMatchObject({ status: 409, details: [] })
    await expect(app.call('POST /api/coupons', { code: 'LATE' })).rejects.toMatchObject({
      code: 'COUPON_EXPIRED',
      status: 422,
    })
  })

  it('show the log lines and report unexpected errors', async () => {
    const lines: string[] = []
    const reported: string[] = []
    const fail = (reason: Error) => () => Promise.reject(reason)
    const router = createRouter()
      .use(
        '/*',
        modules.reportErrors((error, requestId) => void reported.push(`${String(error)} ${requestId}`)),
      )
      .mount('/api/orders', modules.orders)
      .on('GET /api/broken', fail(new Error('broken')))
      .on('GET /api/refused', fail(new ApiError('CONFLICT', 'refused')))
    const logged = createApp({ router, log: createLog({ level: 'info', write: (line) => void lines.push(line) }) })
    const request = async (path: string, init?: RequestInit): Promise<Response> => {
      const response = await logged.fetch(new Request(`http://localhost${path}`, init))
      await response.text()
      return response
    }
    await request('/api/orders', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"item":"tea"}',
    })
    const broken = await request('/api/broken')
    await request('/api/refused')
    await logged.close()
    const membersOf = (line: string): string[] => Object.keys(JSON.parse(line) as object)
    const shown = (shownIn('docs/how-to/logging.md')[0] ?? '').split('\n')
    const written = lines.filter((line) => line.includes('POST /api/orders'))
    expect(written.map(membersOf)).toEqual(shown.map(membersOf))
    expect(reported).toEqual([`Error: broken ${broken.headers.get('x-request-id')}`])
    const levels = lines.map((line) => JSON.parse(line) as { message: string; level: string })
    expect(levels).toContainEqual(expect.objectContaining({ message: 'GET /api/broken 500', level: 'error' }))
    expect(levels).toContainEqual(expect.objectContaining({ message: 'GET /api/refused 409', level: 'info' }))
  })
})
