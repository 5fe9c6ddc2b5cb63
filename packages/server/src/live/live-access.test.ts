import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ApiError, createApp, createResource, createRouter, memoryStore } from '../index.ts'
import type { TestApp } from '../testing.ts'
import { open, silent } from './live-app.test.fixture.ts'
import { LiveClient, type LiveData } from './live-client.test.fixture.ts'
import { createTeams } from './teams-app.test.fixture.ts'

const USERS = ['ada', 'bob', 'admin', null] as const

const LISTS = [
  { route: 'GET /api/v1/boards' },
  { route: 'GET /api/v1/boards', query: { teamId: 1 } },
  { route: 'GET /api/v1/boards', query: { sort: '-title', limit: 2 } },
  { route: 'GET /api/v1/boards/:id', params: { id: 1 } },
  { route: 'GET /api/v1/boards/:id', params: { id: 2 } },
  { route: 'GET /api/v1/notes' },
  { route: 'GET /api/v1/notes', query: { ownerId: 'ada' } },
  { route: 'GET /api/v1/notes', query: { expand: ['liked'] } },
  { route: 'GET /api/v1/notes', query: { expand: ['reader'] } },
  { route: 'GET /api/v1/notes', query: { expand: ['liked', 'reader'] } },
  { route: 'GET /api/v1/notes/:id', params: { id: 1 }, query: { expand: ['liked', 'reader'] } },
  { route: 'GET /api/v1/notes/:id', params: { id: 2 } },
  { route: 'GET /api/v1/secrets' },
  { route: 'GET /api/v1/secrets/:id', params: { id: 1 } },
  { route: 'GET /api/whoami' },
] as const

interface Cell {
  readonly user: string | null
  readonly app: TestApp
  readonly client: LiveClient
  readonly list: (typeof LISTS)[number]
  live: LiveData
}

async function expectedOf({ app, list: { route, ...options } }: Cell): Promise<unknown> {
  const response = await app.send(route, options)
  return response.status === 200 ? ((await response.json()) as unknown) : response.status
}

function actualOf({ live }: Cell): unknown {
  return live.error?.status ?? live.data
}

describe.each([true, false])('the access of a live list, canAdvance: %s', (canAdvance) => {
  it('is the access of GET, for every user and list', async () => {
    const plain = createTeams()
    plain['~live'].settings.canAdvance = canAdvance
    const app = await open(plain)
    await app.call('POST /api/v1/members', { userId: 'ada', teamId: 1 })
    await app.call('POST /api/v1/members', { userId: 'bob', teamId: 2 })
    for (const teamId of [1, 2, 1, 2]) await app.call('POST /api/v1/boards', { title: `board of ${teamId}`, teamId })
    for (const ownerId of ['ada', 'bob', 'everyone']) {
      await app.call('POST /api/v1/notes', { title: `note of ${ownerId}`, ownerId })
    }
    await app.call('POST /api/v1/secrets', { title: 'a secret' })
    const cells: Cell[] = []
    for (const user of USERS) {
      const own = user === null ? app : app.as({ name: user })
      const client = await LiveClient.open(own)
      for (const list of LISTS) {
        const { route, ...options } = list
        cells.push({ user, app: own, client, list, live: await client.subscribe(route, options) })
      }
    }
    const steps: (() => Promise<unknown>)[] = [
      async () => {},
      () => app.as({ name: 'bob' }).call('POST /api/v1/likes', { noteId: 3, userId: 'bob' }),
      () => app.call('POST /api/v1/boards', { title: 'new board of 2', teamId: 2 }),
      () => app.call('PATCH /api/v1/boards/:id', { teamId: 2, title: 'moved' }, { params: { id: 1 } }),
      () => app.call('PATCH /api/v1/notes/:id', { ownerId: 'bob' }, { params: { id: 1 } }),
      () => app.call('DELETE /api/v1/members/:id', { params: { id: 2 } }),
      () => app.call('POST /api/v1/boards', { title: 'later board of 2', teamId: 2 }),
      () => app.call('POST /api/v1/members', { userId: 'ada', teamId: 2 }),
      () => app.call('PATCH /api/v1/notes/:id', { title: 'changed note of bob' }, { params: { id: 2 } }),
      () => app.call('POST /api/v1/secrets', { title: 'another secret' }),
      () => app.touch('whoami'),
    ]
    let compared = 0
    for (const step of steps) {
      await step()
      for (const cell of cells) {
        // An error ends a subscription. The client subscribes again if it needs the data.
        if (cell.live.error !== null) {
          const { route, ...options } = cell.list
          cell.live = await cell.client.subscribe(route, options)
        }
        const expected = JSON.stringify(await expectedOf(cell))
        await cell.client.until(() => JSON.stringify(actualOf(cell)) === expected, 2_000).catch(() => {})
        const { user, list } = cell
        expect({ user, list, data: actualOf(cell) }).toEqual({ user, list, data: JSON.parse(expected) as unknown })
        compared += 1
      }
    }
    expect(compared).toBe(steps.length * USERS.length * LISTS.length)
    // No text that a user received mentions a row or a value of another user.
    const foreign: Record<string, RegExp> = {
      ada: /changed note of bob|later board of 2.*"v":1|"reader":"(?!ada")|a secret|another secret|"user":"(?!ada")/,
      bob: /later board of 2|"reader":"(?!bob")|secret"|"user":"(?!bob")/,
      admin: /board of|note of (?:ada|bob)|"reader":"(?!admin")|"user":"(?!admin")/,
      null: /board of|note of|"reader"|secret"|"user":"/,
    }
    for (const { user, live } of cells) {
      for (const text of live.texts) expect(text).not.toMatch(foreign[String(user)] ?? /^/)
    }
  })
})

/** Opens an app with an access rule that depends on a variable, and short intervals between the checks. */
async function openSwitch() {
  const rule = { isAllowed: true }
  const tasks = createResource('tasks', {
    schema: z.object({ title: z.string().max(50) }),
    store: memoryStore(),
    access: () => rule.isAllowed,
    live: true,
  })
  const plain = createApp({ log: silent, router: createRouter().resource('v1', tasks) })
  plain['~live'].settings.checkMs = 300
  return { rule, plain, app: await open(plain) }
}

describe('an access rule that changes', () => {
  it('applies at once if its resources are known, before any other row is sent', async () => {
    const plain = createTeams()
    const app = await open(plain)
    await app.call('POST /api/v1/members', { userId: 'ada', teamId: 1 })
    await app.call('POST /api/v1/boards', { title: 'first', teamId: 1 })
    const client = await LiveClient.open(app.as({ name: 'ada' }))
    const list = await client.subscribe('GET /api/v1/boards')
    const row = await client.subscribe('GET /api/v1/boards/:id', { params: { id: 1 } })
    expect(list.data).toMatchObject({ data: [{ title: 'first' }] })
    const revokedAt = performance.now()
    await app.call('DELETE /api/v1/members/:id', { params: { id: 1 } })
    await app.call('POST /api/v1/boards', { title: 'after the revocation', teamId: 1 })
    await app.call('PATCH /api/v1/boards/:id', { title: 'changed' }, { params: { id: 1 } })
    await client.until(() => list.error !== null && row.error !== null, 1_000)
    expect(performance.now() - revokedAt).toBeLessThan(1_000)
    expect([list.error?.status, row.error?.status]).toEqual([403, 403])
    expect([...list.texts, ...row.texts].join('\n')).not.toMatch(/after the revocation|changed/)
    expect(plain['~live'].inspect().subscriptions).toBe(0)
  })

  it('applies within the interval of the checks otherwise', async () => {
    const { rule, app } = await openSwitch()
    const client = await LiveClient.open(app.as({ name: 'ada' }))
    const list = await client.subscribe('GET /api/v1/tasks')
    rule.isAllowed = false
    await client.until(() => list.error !== null, 1_000)
    expect(list.error).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } })
  })

  it('applies if it changes while it is evaluated', async () => {
    const rights = createResource('rights', {
      schema: z.object({ name: z.string().max(50) }),
      store: memoryStore(),
      access: 'public',
      live: true,
    })
    const tasks = createResource('tasks', {
      schema: z.object({ title: z.string().max(50) }),
      store: memoryStore(),
      access: async ({ ctx, action }) => {
        const { data } = await ctx.rows(rights).list()
        if (action === 'list') await new Promise((resolve) => setTimeout(resolve, 60))
        return action !== 'list' || data.length > 0
      },
      live: { access: [rights] },
    })
    const plain = createApp({ log: silent, router: createRouter().resource('v1', rights).resource('v1', tasks) })
    plain['~live'].settings.checkMs = 300
    const app = await open(plain)
    const client = await LiveClient.open(app)
    // The right is removed during the first evaluation, and then during a periodic one.
    for (const delay of [20, 500]) {
      const { id } = (await app.call('POST /api/v1/rights', { name: 'a' })) as { id: number }
      const subscribed = client.subscribe('GET /api/v1/tasks')
      await new Promise((resolve) => setTimeout(resolve, delay))
      await app.call('DELETE /api/v1/rights/:id', { params: { id } })
      await app.call('POST /api/v1/tasks', { title: `secret ${delay}` })
      const list = await subscribed
      await client.until(() => list.error !== null, 1_000)
      expect(list.error?.status).toBe(401)
      expect(list.texts.join('')).not.toContain(`secret ${delay}`)
    }
  })

  it('applies to a client that has reconnected', async () => {
    const { rule, plain, app } = await openSwitch()
    const socket = await app.as({ name: 'ada' }).socket('/ws/_live')
    socket.send({ sub: 1, route: 'GET /api/v1/tasks' })
    await socket.next()
    await socket.drop()
    expect(plain['~live'].inspect().subscriptions).toBe(0)
    socket.send({ sub: 2, route: 'GET /api/v1/tasks' })
    expect(await socket.next()).toMatchObject({ sub: 2, all: { data: [] } })
    rule.isAllowed = false
    expect(await socket.next(undefined, { timeoutMs: 2_000 })).toMatchObject({ sub: 2, status: 403 })
  })

  it('moves the subscription to the list of the new rule', async () => {
    const app = await open(createTeams())
    await app.call('POST /api/v1/members', { userId: 'ada', teamId: 1 })
    await app.call('POST /api/v1/boards', { title: 'one', teamId: 1 })
    await app.call('POST /api/v1/boards', { title: 'two', teamId: 2 })
    const client = await LiveClient.open(app.as({ name: 'ada' }))
    const list = await client.subscribe('GET /api/v1/boards')
    const before = list.list
    await app.call('POST /api/v1/members', { userId: 'ada', teamId: 2 })
    await client.until(() => list.counts.all === 2)
    expect(list.list).not.toBe(before)
    expect(list.data).toMatchObject({ data: [{ title: 'one' }, { title: 'two' }] })
  })

  it('waits while the rule cannot be evaluated, without sending rows', async () => {
    let isDown = false
    const rights = createResource('rights', {
      schema: z.object({ name: z.string().max(50) }),
      store: memoryStore(),
      access: 'public',
      live: true,
    })
    const tasks = createResource('tasks', {
      schema: z.object({ title: z.string().max(50) }),
      store: memoryStore(),
      access: ({ action }) => {
        if (isDown && action === 'list') throw new ApiError('SERVICE_UNAVAILABLE', 'the database is unavailable')
        return true
      },
      live: { access: [rights] },
    })
    const router = createRouter().resource('v1', rights).resource('v1', tasks)
    const app = await open(createApp({ log: silent, router }))
    const client = await LiveClient.open(app)
    const list = await client.subscribe('GET /api/v1/tasks')
    isDown = true
    await app.call('POST /api/v1/rights', { name: 'a' })
    await app.call('POST /api/v1/tasks', { title: 'a' })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(list.texts).toHaveLength(1)
    isDown = false
    await client.until(() => list.counts.all === 2, 3_000)
    expect(list.data).toMatchObject({ data: [{ title: 'a' }] })
  })
})

describe('the groups of live data', () => {
  it('are shared by users whose rules allow the same rows', async () => {
    const plain = createTeams()
    const app = await open(plain)
    const rows = [
      ['ada', 1],
      ['ada', 2],
      ['bob', 2],
      ['bob', 3],
    ] as const
    for (const [userId, teamId] of rows) await app.call('POST /api/v1/members', { userId, teamId })
    for (const name of ['ada', 'bob']) {
      const client = await LiveClient.open(app.as({ name }))
      await client.subscribe('GET /api/v1/boards', { query: { teamId: 2 } })
      await client.subscribe('GET /api/v1/boards')
    }
    const { lists } = plain['~live'].inspect()
    expect(lists.map(({ members }) => members)).toEqual([2, 1, 1])
  })

  it('do not share computed values', async () => {
    const plain = createTeams()
    const app = await open(plain)
    for (const name of ['ada', 'bob']) {
      const client = await LiveClient.open(app.as({ name }))
      await client.subscribe('GET /api/v1/notes', { query: { ownerId: 'everyone', expand: ['reader'] } })
      await client.subscribe('GET /api/v1/notes', { query: { ownerId: 'everyone' } })
    }
    expect(plain['~live'].inspect().lists.map(({ members }) => members)).toEqual([1, 2, 1])
  })
})
