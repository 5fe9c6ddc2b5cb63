import { join } from 'node:path'
import type { Database } from '@sdk/database'
import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const EXAMPLE = join(import.meta.dirname, '../../examples/tasks')

let app: TestApp
beforeAll(async () => {
  app = await testApp(EXAMPLE)
})
afterAll(() => app.close())

describe('testApp with examples/tasks', () => {
  it('starts with an empty database and acts as users without sign-in', async () => {
    const [grace, alan] = [app.as({ name: 'Grace' }), app.as({ name: 'Alan' })]
    expect(await grace.call('GET /api/v1/tasks')).toMatchObject({ data: [] })
    await grace.call('POST /api/v1/tasks', { title: 'Tea' })
    expect(await grace.call('GET /api/v1/tasks')).toMatchObject({ data: [{ title: 'Tea', done: false, priority: 2 }] })
    expect(await alan.call('GET /api/v1/tasks')).toMatchObject({ data: [] })
    await expect(app.call('GET /api/v1/tasks')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('writes a digest of yesterday into the chat, once a day', async () => {
    const ada = app.as({ name: 'Ada' })
    const { database } = (await import(join(EXAMPLE, 'src/database.ts'))) as { database: Pick<Database, 'query'> }
    expect(await app.runs.start('digest', undefined)).toMatchObject({ output: { finished: 0 } })
    const { id } = (await ada.call('POST /api/v1/tasks', { title: 'Ice', done: true })) as { id: number }
    await database.query("update tasks set updated_at = now() - interval '1 day' where id = $1", [id])
    const room = await ada.socket('/ws/chat')
    for (let run = 0; run < 2; run++)
      expect(await app.runs.start('digest', undefined)).toMatchObject({ output: { finished: 1 } })
    const text = 'Yesterday, one task was finished.'
    await expect(room.next()).resolves.toMatchObject({ name: 'Daily digest', text })
    expect(await ada.call('GET /api/v1/messages')).toMatchObject({ data: [{ text }] })
    await room.close()
  })

  it('opens sockets and delivers messages after a reconnect', async () => {
    const [ada, grace] = [
      await app.as({ name: 'Ada' }).socket('/ws/chat'),
      await app.as({ name: 'Grace' }).socket('/ws/chat'),
    ]
    await grace.drop()
    ada.send({ key: 'a-key-of-ada', text: 'hello' })
    expect(await grace.next()).toMatchObject({ name: 'Ada', text: 'hello' })
    await ada.close()
    await grace.close()
  })

  it('puts labels on tasks by key, and creates a label with its first task or not at all', async () => {
    const [ada, eve] = [app.as({ name: 'Ada' }), app.as({ name: 'Eve' })]
    const { id } = await newTask(ada, 'Tea')
    const home = (await ada.call('POST /api/v1/tasks/:id/labels', { name: 'Home' }, { params: { id } })) as Row
    const work = (await ada.call('POST /api/v1/labels', { name: 'Work' })) as Row
    const link = '/api/v1/taskLabels/by-task-id-label-id/:taskId/:labelId'
    const params = { taskId: id, labelId: work.id }
    const labels = async (): Promise<unknown> =>
      (
        (await ada.call('GET /api/v1/tasks/:id', { params: { id }, query: { expand: 'labels' } })) as {
          labels: unknown
        }
      ).labels
    for (const status of [201, 200]) expect((await ada.send(`PUT ${link}`, {}, { params })).status).toBe(status)
    expect(await labels()).toEqual([home, { id: work.id, name: 'Work' }])
    await ada.call(`DELETE ${link}`, { params })
    expect(await labels()).toEqual([home])
    await ada.call(`PUT ${link}`, {}, { params })
    await ada.call('DELETE /api/v1/labels/:id', { params: work })
    expect(await labels()).toEqual([home])
    await expect.poll(() => ada.call('GET /api/v1/taskLabels')).toMatchObject({ data: [{ labelId: home.id }] })

    await expect(eve.call(`PUT ${link}`, {}, { params })).rejects.toMatchObject({ status: 400 })
    const stolen = eve.call('POST /api/v1/tasks/:id/labels', { name: 'Mine' }, { params: { id } })
    await expect(stolen).rejects.toMatchObject({ status: 400 })
    expect(await eve.call('GET /api/v1/labels')).toMatchObject({ data: [] })
    const again = ada.call('POST /api/v1/tasks/:id/labels', { name: 'Home' }, { params: { id } })
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' })
    await ada.call('DELETE /api/v1/tasks/:id', { params: { id } })
    await expect.poll(() => ada.call('GET /api/v1/taskLabels')).toMatchObject({ data: [] })
  })

  it('shows a task and its comments to the owner and to the assignee, but to nobody else', async () => {
    const [ada, ben, eve] = [await signUp('Ada'), await signUp('Ben'), await signUp('Eve')]
    const { id } = await newTask(ada, 'Count the stars')
    const assign = (assigneeId: string): Promise<unknown> =>
      ada.call('PATCH /api/v1/tasks/:id', { assigneeId }, { params: { id } })
    await expect(assign('nobody')).rejects.toMatchObject({ details: [{ pointer: '/assigneeId' }] })
    await assign(ben.id)
    await ben.call('POST /api/v1/comments', { taskId: id, text: 'All of them?' })
    await ada.call('POST /api/v1/comments', { taskId: id, text: 'Only the bright ones' })
    const stranger = eve.call('POST /api/v1/comments', { taskId: id, text: 'Why?' })
    await expect(stranger).rejects.toMatchObject({ status: 403 })

    const query = { taskId: id, sort: 'createdAt' }
    const said = [{ author: 'Ben', text: 'All of them?' }, { author: 'Ada' }]
    for (const one of [ada, ben])
      expect(await one.call('GET /api/v1/comments', { query })).toMatchObject({ data: said })
    expect(await eve.call('GET /api/v1/comments', { query })).toMatchObject({ data: [] })
    const expand = 'labels,commentCount,assignee'
    const shown = { id, labels: [], commentCount: 2, assignee: { id: ben.id, name: 'Ben' } }
    expect(await ada.call('GET /api/v1/tasks', { query: { expand } })).toMatchObject({ data: [shown] })
    expect(await ada.call('GET /api/tasks/search', { query: { text: 'STARS' } })).toMatchObject([shown])
    expect(await ben.call('GET /api/people')).toContainEqual({ id: ada.id, name: 'Ada' })

    const mine = { query: { expand: 'owner,commentCount' } }
    expect(await ben.call('GET /api/v1/assignedTasks', mine)).toMatchObject({
      data: [{ id, done: false, owner: { name: 'Ada' }, commentCount: 2 }],
    })
    const finish = (one: typeof ada, input: object): Promise<unknown> =>
      one.call('PATCH /api/v1/assignedTasks/:id', input, { params: { id } })
    await finish(ben, { done: true })
    expect(await ada.call('GET /api/v1/tasks/:id', { params: { id } })).toMatchObject({ done: true, ownerId: ada.id })
    await expect(finish(ben, { ownerId: ben.id })).rejects.toMatchObject({ status: 400 })
    await expect(finish(eve, { done: false })).rejects.toMatchObject({ status: 404 })
    await ada.call('DELETE /api/v1/tasks/:id', { params: { id } })
    expect(await ben.call('GET /api/v1/assignedTasks')).toMatchObject({ data: [] })
    expect(await ben.call('GET /api/v1/comments', { query })).toMatchObject({ data: [] })
  })
})

interface Row {
  id: number
}

async function newTask(user: Pick<TestApp, 'call'>, title: string): Promise<Row> {
  return (await user.call('POST /api/v1/tasks', { title })) as Row
}

/** Creates a user with a row in the database: users of `app.as` alone have none, so nobody can assign tasks to them. */
async function signUp(name: string) {
  const account = { name, email: `${name.toLowerCase()}@example.com`, password: 'correct horse' }
  const { user } = (await app.call('POST /api/auth/sign-up/email', account)) as { user: { id: string } }
  return { id: user.id, ...app.as({ ...user, name }) }
}
