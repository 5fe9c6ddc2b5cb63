import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Database } from '@sdk/database'
import { createApp, createRouter, type Resource, type Socket } from '@sdk/server'
import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shownIn } from './shown.ts'
import { writePage } from './write-page.ts'

const PAGE = 'docs/guide/resources.md'

describe('docs/guide/resources.md', () => {
  let path: string
  let app: TestApp
  let ada: TestApp
  beforeAll(async () => {
    path = (await writePage(PAGE)).path
    app = await testApp(path)
    ada = app.as({ name: 'Ada' })
    await ada.call('POST /api/v1/tasks', { title: 'Buy tea', code: 'T1', priority: 5, due: '2026-12-24' })
    await ada.call('POST /api/v1/tasks', { title: 'Drink it', priority: 3 })
  })
  afterAll(() => app?.close())

  it('returns only the rows of the user and rejects guests', async () => {
    expect(await app.as({ name: 'Alan' }).call('GET /api/v1/tasks')).toMatchObject({ data: [] })
    await expect(app.call('GET /api/v1/tasks')).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 })
    const other = app.as({ name: 'Alan' }).call('GET /api/v1/tasks/:id', undefined, { params: { id: 1 } })
    await expect(other).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('returns the fields of the schema without assigned fields', async () => {
    const row = await ada.call('GET /api/v1/tasks/:id', undefined, { params: { id: 2 } })
    const fields = ['id', 'title', 'done', 'priority', 'due', 'code', 'createdAt', 'updatedAt']
    expect(Object.keys(row as object)).toEqual(fields)
    expect(row).toMatchObject({ done: false, priority: 3, due: null, code: null })
    const shown = JSON.parse(shownIn(PAGE)[0] ?? '') as object
    expect(Object.keys(shown)).toEqual(fields.filter((field) => field in shown))
  })

  it('filters, sorts and counts by the listed fields and rejects others', async () => {
    const query = { 'priority[gte]': 3, 'due[lt]': '2027-01-01', sort: '-priority,createdAt', limit: 50, count: true }
    expect(await ada.call('GET /api/v1/tasks', undefined, { query })).toMatchObject({
      data: [{ title: 'Buy tea' }],
      pagination: { limit: 50, total: 1 },
    })
    const dateless = await ada.call('GET /api/v1/tasks', undefined, { query: { 'due[null]': true } })
    expect(dateless).toMatchObject({ data: [{ title: 'Drink it' }] })
    for (const wrong of [{ title: 'x' }, { sort: 'title' }, { limit: 101 }])
      await expect(ada.call('GET /api/v1/tasks', undefined, { query: wrong })).rejects.toMatchObject({ status: 400 })
  })

  it('returns 409 for a duplicate value and the documented error for a changed row', async () => {
    const taken = ada.call('POST /api/v1/tasks', { title: 'Again', code: 'T1' })
    await expect(taken).rejects.toMatchObject({ code: 'CONFLICT', message: 'code is taken' })
    expect(await app.as({ name: 'Alan' }).call('POST /api/v1/tasks', { title: 'His', code: 'T1' })).toHaveProperty('id')
    const options = { params: { id: 1 }, headers: { 'if-match': '"1-mwicyfr1-1zrejzz3qx2"' } }
    const { error } = JSON.parse(shownIn(PAGE)[1] ?? '') as { error: object }
    await expect(ada.call('PATCH /api/v1/tasks/:id', { done: true }, options)).rejects.toMatchObject(error)
  })

  it('serves rows of a custom store, without routes for missing store methods', async () => {
    expect(await app.call('GET /api/v2/planets')).toMatchObject({ data: [{ name: 'Mercury' }, { name: 'Venus' }] })
    expect(await app.call('GET /api/v2/planets/:id', undefined, { params: { id: 2 } })).toMatchObject({ name: 'Venus' })
    await expect(app.call('POST /api/v2/planets', { name: 'Pluto' })).rejects.toMatchObject({ status: 405 })
  })

  it('isolates teams in rows and sockets and shows customers only their own rows', async () => {
    const load = async (file: string): Promise<unknown> =>
      import(/* @vite-ignore */ pathToFileURL(join(path, file)).href)
    const { members } = (await load('src/api/boards.ts')) as { members: Resource }
    const { tickets, requests } = (await load('src/api/tickets.ts')) as { tickets: Resource; requests: Resource }
    const { team } = (await load('src/api/team.ts')) as { team: Socket<unknown> }
    const { database } = (await load('src/database.ts')) as { database: Database }
    const router = createRouter().resource('v1', members).resource('v1', tickets).resource('v1', requests)
    const desk = await testApp(createApp({ router: router.socket('/ws/team', team), log: app.log }))
    const [bob, eve, cleo] = ['Bob', 'Eve', 'Cleo'].map((name) => desk.as({ name, id: name }))
    await members.store.ready?.()
    await database.query(`insert into members (team_id, user_id, role)
      values (1, 'Ada', 'owner'), (1, 'Bob', 'member'), (2, 'Eve', 'owner')`)

    const created = await cleo?.call('POST /api/v1/requests', { teamId: 1, question: 'Why?' })
    expect(Object.keys(created as object)).toEqual(['id', 'teamId', 'question', 'createdAt', 'updatedAt'])
    expect(await bob?.call('GET /api/v1/tickets')).toMatchObject({ data: [{ question: 'Why?', customerId: 'Cleo' }] })
    for (const other of [eve, cleo]) expect(await other?.call('GET /api/v1/tickets')).toMatchObject({ data: [] })
    expect(await eve?.call('GET /api/v1/requests')).toMatchObject({ data: [] })

    const live = await bob?.socket('/ws/team?team=1')
    const foreign = await eve?.socket('/ws/team?team=1')
    await expect(foreign?.next()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await desk.publish('team:1', 'news')
    expect(await live?.next()).toBe('news')
    await desk.as({ name: 'Ada', id: 'Ada' }).call('DELETE /api/v1/members/:id', { params: { id: 2 } })
    await expect(live?.next()).rejects.toMatchObject({ code: 'FORBIDDEN', message: 'you are no longer a member' })
    await desk.close()
  })
})
