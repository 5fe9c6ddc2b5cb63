import { expect, it } from 'vitest'
import { z } from 'zod'
import { createApp, createResource, createRouter, memoryStore } from '../index.ts'
import { testApp } from '../testing.ts'
import { silent } from './live-app.test.fixture.ts'
import { LiveClient, type LiveData } from './live-client.test.fixture.ts'

/** Creates a random generator with a seed, so that a failure can be repeated. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const USERS = ['ada', 'bob', 'eve']
const SORTS = ['id', '-id', 'rank', '-rank', 'rank,-title', '-title', 'createdAt', '-updatedAt']

it.each([
  [true, 1],
  [false, 2],
])(
  'equals GET after random changes, canAdvance: %s, seed %i',
  async (canAdvance, seed) => {
    const random = createRandom(seed)
    const pick = <T>(values: readonly [T, ...T[]] | readonly T[]): T => values.at(random(values.length)) as T
    const tasks = createResource('tasks', {
      schema: z.object({
        title: z.string().max(20),
        rank: z.number().int().nullable(),
        done: z.boolean(),
        owner: z.string().max(20),
      }),
      store: memoryStore(),
      access: ({ user, action }) => (action === 'list' ? { owner: [user?.id ?? '', 'all'] } : true),
      filter: ['rank', 'done', 'owner', 'title'],
      sort: ['rank', 'title', 'createdAt', 'updatedAt'],
      live: true,
    })
    const plain = createApp({
      log: silent,
      rateLimit: false,
      limits: { socket: { rate: false } },
      router: createRouter().resource('v1', tasks),
    })
    plain['~live'].settings.canAdvance = canAdvance
    const app = await testApp(plain)
    const toTask = () => ({
      title: pick(['a', 'b', 'c', 'ü', '😀']),
      rank: pick([1, 2, 3, null]),
      done: random(2) === 0,
      owner: pick([...USERS, 'all']),
    })
    const ids: number[] = []
    const create = async (): Promise<void> => {
      ids.push(((await app.call('POST /api/v1/tasks', toTask())) as { id: number }).id)
    }
    for (let count = 0; count < 30; count += 1) await create()
    const clients: LiveClient[] = []
    const lists: {
      live: LiveData
      client: LiveClient
      query: Record<string, string | number | boolean>
      user: string
    }[] = []
    for (const user of USERS) {
      const client = await LiveClient.open(app.as({ name: user }))
      clients.push(client)
      for (let count = 0; count < 12; count += 1) {
        const query: Record<string, string | number | boolean> = { limit: pick([1, 2, 5, 20]), sort: pick(SORTS) }
        if (random(3) === 0) query['done'] = random(2) === 0
        if (random(3) === 0) query[pick(['rank[gte]', 'rank', 'rank[ne]'])] = pick([1, 2])
        if (random(4) === 0) query['owner'] = pick([...USERS, 'all'])
        if (random(8) === 0) query['count'] = true
        const first = (await app.as({ name: user }).call('GET /api/v1/tasks', { query })) as {
          pagination: { nextCursor: string | null }
        }
        const { nextCursor } = first.pagination
        if (nextCursor !== null && random(2) === 0) query['cursor'] = nextCursor
        lists.push({ live: await client.subscribe('GET /api/v1/tasks', { query }), client, query, user })
      }
    }
    let compared = 0
    for (let round = 0; round < 16; round += 1) {
      for (let change = random(4); change >= 0; change -= 1) {
        const kind = random(10)
        const id = pick(ids)
        if (kind < 3 || ids.length < 5) await create()
        else if (kind < 8) await app.call('PATCH /api/v1/tasks/:id', toTask(), { params: { id } })
        else {
          await app.call('DELETE /api/v1/tasks/:id', { params: { id } })
          ids.splice(ids.indexOf(id), 1)
        }
      }
      // Some rounds wait for the notifications, and the others request the data.
      const isSynced = round % 3 !== 0
      for (const client of isSynced ? clients : []) {
        await client.sync(...lists.filter((list) => list.client === client).map(({ live }) => live))
      }
      for (const { live, client, query, user } of lists) {
        const expected = await app.as({ name: user }).call('GET /api/v1/tasks', { query })
        const text = JSON.stringify(expected)
        if (!isSynced) await client.until(() => JSON.stringify(live.data) === text, 3_000).catch(() => {})
        expect({ query, data: live.data }).toEqual({ query, data: expected })
        compared += 1
      }
    }
    expect(compared).toBe(16 * 36)
    expect(plain['~live'].inspect().stats.advances > 20).toBe(canAdvance)
    await app.close()
  },
  120_000,
)
