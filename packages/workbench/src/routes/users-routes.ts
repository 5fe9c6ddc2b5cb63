import { ApiError, createRouter, type Router, type Session, type User, type UserTools } from '@sdk/server'
import type { UserList, UserSession, WorkbenchUser } from '../api.ts'
import { fields, isMaybeText, isText, type Check } from './fields.ts'

/** Who is shown at once; the search finds the others. */
const MAX_USERS = 100

const isAddress: Check = (value) =>
  typeof value === 'string' && value.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(value) ? null : 'is an email address'

const QUERY = fields<{ search?: string }>({ search: isMaybeText(200) })
const USER = fields<{ name: string; email: string }>({ name: isText(200), email: isAddress })
const USER_ID = fields<{ userId: string }>({ userId: isText(200) })

/** The routes of users, and of the sessions by which the workbench acts as one. */
export function usersRouter(session: () => Session | null): Router {
  const router: Router = createRouter()
  router.on('GET /users', { query: QUERY, handler: (ctx) => listUsers(session(), ctx.query.search) })
  router.on('POST /users', {
    input: USER,
    handler: async (_, user) => toShown(await toolsOf(session()).createUser(user)),
  })
  router.on('POST /sessions', {
    input: USER_ID,
    handler: (_, { userId }) => openSession(session(), userId),
  })
  return router
}

async function listUsers(session: Session | null, search: string | undefined): Promise<UserList> {
  const tools = session?.development
  if (!tools) return { hasAuth: false, users: [] }
  const users = await tools.listUsers({ search, limit: MAX_USERS })
  return { hasAuth: true, users: users.map(toShown) }
}

async function openSession(session: Session | null, userId: string): Promise<UserSession> {
  const opened = await toolsOf(session).openSession(userId)
  if (opened === null) throw new ApiError('NOT_FOUND', `there is no user ${userId}`)
  return { ...opened, user: toShown(opened.user) }
}

function toolsOf(session: Session | null): UserTools {
  if (session?.development) return session.development
  throw new ApiError('CONFLICT', 'this app has no users: add createSessionMiddleware(auth) of @sdk/auth to its API')
}

function toShown({ id, name, email, createdAt }: User): WorkbenchUser {
  return { id, name, email, createdAt }
}
