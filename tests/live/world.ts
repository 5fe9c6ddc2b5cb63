import { type Database, table } from '@sdk/database'
import { createResource, createRouter, type RequestAuth, type SessionMiddleware } from '@sdk/server'
import { z } from 'zod'

/** The users of the app, whose tokens are their ids. `ann` and `bob` see their own tasks, and `none` sees none. */
export const USERS = ['root', 'ann', 'bob', 'red', 'blue', 'both', 'none'] as const

export const OWNERS: readonly string[] = ['ann', 'bob']
export const TEAMS: readonly number[] = [1, 2, 3]

/** The people whose teams are rows of `members`, which the access rule reads with SQL. */
export const PEOPLE: readonly string[] = ['red', 'blue', 'both']

export const TASKS = '/api/v1/tasks'

/** The fields of a task, of all types. */
const Task = z.object({
  title: z.string().max(50),
  priority: z.int(),
  score: z.number().nullable().optional(),
  done: z.boolean().default(false),
  dueAt: z.iso.datetime({ offset: true }).nullable().optional(),
  day: z.iso.date().nullable().optional(),
  tags: z.array(z.string()).default([]),
  teamId: z.int().nullable().optional(),
})

/** Creates the router of the app in a database. Its access rules differ per user and change with `members`. */
export async function createLiveRouter(database: Database) {
  const members = createResource('members', {
    schema: z.object({ person: z.string().max(50), teamId: z.int() }),
    store: table('members', { database }),
    access: ({ user }) => user?.id === 'root',
    live: true,
  })
  const tasks = createResource('tasks', {
    schema: Task,
    store: table('tasks', { database, assigned: { ownerId: 'string' } }),
    async access({ user }) {
      if (user === null || user.id === 'none') return false
      if (user.id === 'root') return true
      if (OWNERS.includes(user.id)) return { ownerId: user.id }
      const sql = 'select team_id from members where person = $1 order by team_id'
      const teams = await database.query<{ team_id: number }>(sql, [user.id])
      return { teamId: teams.map(({ team_id }) => team_id) }
    },
    assign: ({ user }) => ({ ownerId: user.id }),
    filter: ['title', 'priority', 'score', 'done', 'dueAt', 'day', 'teamId', 'createdAt'],
    sort: ['title', 'priority', 'score', 'done', 'dueAt', 'day', 'createdAt', 'updatedAt'],
    live: true,
  })
  // The rule reads the table of members with SQL, so it must exist before the first request.
  for (const { store } of [members, tasks]) await store.ready?.()
  return createRouter().use('/api/*', session).resource('v1', members).resource('v1', tasks)
}

/** Session middleware whose tokens are user ids. */
const session: SessionMiddleware = Object.assign(<T>(_ctx: unknown, next: () => T): T => next(), {
  authenticate(headers: { get(name: string): string | null }): RequestAuth | null {
    const [, bearer] = (headers.get('authorization') ?? '').split(' ')
    const [, protocol] = /sdk\.token\.(\w+)/.exec(headers.get('sec-websocket-protocol') ?? '') ?? []
    const id = bearer ?? protocol
    return id === undefined ? null : toAuth(id)
  },
  trusts: () => false,
})

function toAuth(id: string): RequestAuth {
  const time = '2000-01-01T00:00:00.000Z'
  const profile = { email: `${id}@example.test`, emailVerified: true, image: null, createdAt: time, updatedAt: time }
  return {
    via: 'bearer',
    session: { id: `session of ${id}`, userId: id, expiresAt: '2099-01-01T00:00:00.000Z' },
    getUser: () => Promise.resolve({ id, name: id, ...profile }),
  }
}
