import { z } from 'zod'
import {
  ApiError,
  createApp,
  createResource,
  createRouter,
  existsIn,
  memoryStore,
  relate,
  type App,
  type Log,
} from '../index.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** An app in which every user sees different rows and different values. */
export function createTeams(): App {
  const members = createResource('members', {
    schema: z.object({ userId: z.string().max(50), teamId: z.number().int() }),
    store: memoryStore(),
    access: 'public',
    filter: ['userId'],
    live: true,
  })
  const likes = createResource('likes', {
    schema: z.object({ noteId: z.number().int(), userId: z.string().max(50) }),
    store: memoryStore(),
    access: ({ user }) => (user === null ? false : { userId: user.id }),
    live: true,
  })
  const boards = createResource('boards', {
    schema: z.object({ title: z.string().max(100), teamId: z.number().int() }),
    store: memoryStore(),
    access: async ({ user, ctx, action }) => {
      if (action !== 'list' && action !== 'get') return true
      if (user === null) return false
      const { data } = await ctx.rows(members).list({ userId: user.id })
      const teams = data.map(({ teamId }) => teamId)
      return teams.length === 0 ? false : { teamId: teams }
    },
    filter: ['teamId'],
    sort: ['title'],
    live: { access: [members] },
  })
  const notes = relate(
    createResource('notes', {
      schema: z.object({ title: z.string().max(100), ownerId: z.string().max(50) }),
      store: memoryStore(),
      access: ({ user, action }) => {
        if (action !== 'list' && action !== 'get') return true
        return user === null ? { ownerId: 'nobody' } : { ownerId: [user.id, 'everyone'] }
      },
      computed: { reader: { output: z.string(), load: (rows, ctx) => rows.map(() => ctx.auth?.session.userId ?? '') } },
      filter: ['ownerId'],
      live: true,
    }),
    { liked: existsIn(likes, 'noteId', ({ user }) => ({ userId: user.id })) },
  )
  const secrets = createResource('secrets', {
    schema: z.object({ title: z.string().max(100) }),
    store: memoryStore(),
    access: 'public',
    live: true,
  })
  const router = createRouter()
    .use('/api/v1/secrets/*', async (ctx, next) => {
      if (ctx.auth?.session.userId !== 'admin' && ctx.request.method === 'GET')
        throw new ApiError('FORBIDDEN', `not for you: ${new URL(ctx.request.url).pathname}`)
      return next()
    })
    .resource('v1', members)
    .resource('v1', likes)
    .resource('v1', boards)
    .resource('v1', notes)
    .resource('v1', secrets)
    .on('GET /api/whoami', (ctx) => {
      ctx.reads('whoami')
      return { user: ctx.auth?.session.userId ?? null }
    })
  return createApp({ log: silent, rateLimit: false, limits: { socket: { rate: false } }, router })
}
