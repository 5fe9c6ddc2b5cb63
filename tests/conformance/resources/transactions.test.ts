import { ApiError, createResource, type Context, type Router, type StoreSource } from '@sdk/server'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { pageOf, startService } from './service.ts'
import { createMembers, createTasks, TASK_RULES, type Changes } from './showcase.ts'
import type { StoreCase, Stores } from './store-case.ts'
import { stores } from './stores.ts'

type Work = (ctx: Context, resources: ReturnType<typeof define>) => Promise<unknown>

const define = (sources: Record<'tasks' | 'members' | 'drafts', StoreSource>, changes: Changes) => ({
  tasks: createTasks('tasks', sources.tasks, changes),
  members: createMembers(sources.members),
  drafts: createResource('drafts', {
    ...TASK_RULES,
    store: sources.drafts,
    check({ title }) {
      if (title === 'no') throw new ApiError('INVALID_REQUEST', 'title is not allowed')
    },
  }),
})

/** Starts an app in which `run` does any work in the handler of a route, as Ada. */
function start(kind: StoreCase) {
  let work: Work = () => Promise.resolve()
  const service = startService(kind, {
    async routes(router: Router, open: Stores, changes) {
      const resources = define(
        {
          tasks: await open.source('tasks', 'tasks'),
          members: await open.source('members', 'members'),
          drafts: await open.source('tasks', 'drafts'),
        },
        changes,
      )
      return router
        .resource('v1', resources.tasks)
        .resource('v1', resources.members)
        .resource('v1', resources.drafts)
        .on('POST /api/work', (ctx) => work(ctx, resources))
    },
  })
  const run = (next: Work, as: object = { as: 'ada' }) => {
    work = next
    return service.call('POST /api/work', as)
  }
  const titles = async (path = 'tasks'): Promise<unknown[]> =>
    pageOf(await service.call(`GET /api/v1/${path}?sort=title`)).data.map(({ title }) => title)
  return { service, run, titles }
}

describe.each(stores.filter(({ isLasting }) => !isLasting))('ctx.transaction on $store', (kind) => {
  const { service, run } = start(kind)

  it('is refused, since the store cannot roll back', async () => {
    expectFailure(await run((ctx) => ctx.transaction(() => Promise.resolve())), 500, 'INTERNAL_SERVER_ERROR')
    expect(service.log.at(-1)).toContain('whose store supports transactions, such as table() from @sdk/database')
    expect(service.log.at(-1)).toContain('got tasks, members, drafts')
  })
})

describe.each(stores.filter(({ isLasting }) => isLasting))('ctx.transaction on $store', (kind) => {
  const { service, run, titles } = start(kind)
  beforeEach(() => void (service.changes.length = 0))

  it('keeps all changes, returns the result, and reports the changes after the commit', async () => {
    const answer = await run((ctx, { tasks, members }) =>
      ctx.transaction(async (tx) => {
        const task = await tx.rows(tasks).create({ title: 'a' })
        await tx.rows(tasks).update(task.id, { title: 'b' })
        await tx.rows(members).create({ person: 'ada', team: 'tea' })
        const rows = await tx.query('select title from tasks where id = $1', [task.id])
        return { rows, reported: service.changes.length }
      }),
    )
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { rows: [{ title: 'b' }], reported: 0 }])
    expect(await titles()).toEqual(['b'])
    expect(service.changes).toEqual(['created a', 'updated a to b'])
  })

  it('keeps nothing and reports nothing if a later change fails', async () => {
    const before = await titles()
    const changes: [Work, number, string][] = [
      [(ctx, { drafts }) => ctx.rows(drafts).create({ title: 'no' }), 400, 'INVALID_REQUEST'],
      [(ctx, { tasks }) => ctx.rows(tasks).get(999_999), 404, 'NOT_FOUND'],
      [(ctx, { members }) => ctx.rows(members).create({ person: 'ada', team: 'tea' }), 409, 'CONFLICT'],
      [() => Promise.reject(new ApiError('FORBIDDEN', 'changed my mind')), 403, 'FORBIDDEN'],
    ]
    for (const [last, status, code] of changes) {
      const answer = await run((ctx, resources) =>
        ctx.transaction(async (tx) => {
          await tx.rows(resources.tasks).create({ title: 'lost' })
          await tx.rows(resources.drafts).create({ title: 'lost' })
          await tx.query(`update tasks set title = 'lost'`)
          return last(ctx, resources)
        }),
      )
      expectFailure(answer, status, code)
    }
    expect(await titles()).toEqual(before)
    expect(await titles('drafts')).toEqual([])
    expect(service.changes).toEqual([])
  })

  it('obeys the access rules of the caller', async () => {
    const work: Work = (ctx, { tasks, members }) =>
      ctx.transaction(async (tx) => {
        await tx.rows(tasks).create({ title: 'lost' })
        return tx.rows(members).create({ person: 'eve', team: 'tea' })
      })
    expectFailure(await run(work, {}), 401, 'UNAUTHORIZED')
    expect(await titles()).not.toContain('lost')
  })

  it('keeps the rest if a nested transaction fails', async () => {
    const answer = await run((ctx, { drafts }) =>
      ctx.transaction(async (tx) => {
        await tx.rows(drafts).create({ title: 'kept' })
        const inner = ctx.transaction(async (nested) => {
          await nested.rows(drafts).create({ title: 'lost' })
          await nested.query('select 1 / 0')
        })
        await inner.catch(() => {})
        return (await tx.rows(drafts).list()).data.length
      }),
    )
    expect([answer.status, answer.body]).toEqual([200, '1'])
    expect(await titles('drafts')).toEqual(['kept'])
  })

  it('fails if an error of a statement was swallowed', async () => {
    const answer = await run((ctx, { drafts }) =>
      ctx.transaction(async (tx) => {
        await tx.rows(drafts).create({ title: 'lost' })
        await tx.query('select 1 / 0').catch(() => {})
      }),
    )
    expectFailure(answer, 500, 'INTERNAL_SERVER_ERROR')
    expect(await titles('drafts')).toEqual(['kept'])
  })

  it('loses no change of concurrent transactions', async () => {
    const { item } = await service.make({ title: 'counter', priority: 1, estimate: 0 })
    const work: Work = (ctx, { tasks }) =>
      ctx.transaction(
        async (tx) => {
          const { estimate } = await tx.rows(tasks).get(item.id)
          await tx.rows(tasks).update(item.id, { estimate: (estimate ?? 0) + 1 })
        },
        { isolation: 'serializable' },
      )
    const answers = await Promise.all(Array.from({ length: 5 }, () => run(work)))
    const succeeded = answers.filter(({ status }) => status < 300).length
    for (const { status } of answers) expect([200, 204, 503]).toContain(status)
    expect(succeeded).toBeGreaterThan(0)
    const [row] = pageOf(await service.call('GET /api/v1/tasks?title=counter')).data
    expect(row?.['estimate']).toBe(succeeded)
  })

  it('is 409 and 400 for violations of its own SQL, and names the constraint', async () => {
    await run((ctx) => ctx.transaction((tx) => tx.query('create table if not exists parents (id int primary key)')))
    const child = 'create table if not exists children (parent int constraint has_parent references parents)'
    await run((ctx) => ctx.transaction((tx) => tx.query(child)))
    const insert = (sql: string) => run((ctx) => ctx.transaction((tx) => tx.query(sql)))
    expect((await insert('insert into parents values (1)')).status).toBe(200)
    const twice = expectFailure(await insert('insert into parents values (1)'), 409, 'CONFLICT')
    expect(twice.message).toBe('another row has the same values (parents_pkey)')
    const orphan = expectFailure(await insert('insert into children values (2)'), 400, 'INVALID_REQUEST')
    expect(orphan.details).toMatchObject([{ code: 'REFERENCED', constraint: 'has_parent' }])
    expect((await insert('insert into children values (1)')).status).toBe(200)
    expectFailure(await insert('delete from parents'), 409, 'CONFLICT')
  })
})
