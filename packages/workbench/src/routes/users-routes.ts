import { ApiError, type Router, type Session, type User, type UserTools } from '@sdk/server'
import type { UserList, UserSession, WorkbenchUser } from '../api.ts'
import { addRoute } from './api-route.ts'
import { fields, isMaybeText, isText, type Check } from './fields.ts'

/** How many users are listed; the search finds the others. */
const MAX_USERS = 100

const isAddress: Check = (value) =>
  typeof value === 'string' && value.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(value) ? null : 'is an email address'

const QUERY = fields<{ search?: string }>({ search: isMaybeText(200) })
const USER = fields<{ name: string; email: string }>({ name: isText(200), email: isAddress })
const USER_ID = fields<{ userId: string }>({ userId: isText(200) })
const TOKEN = fields<{ token: string }>({ token: isText(2_000) })

/** Adds the routes of users, and of the sessions with which the workbench acts as one. */
export function addUsersRoutes(router: Router, session: () => Session | null): void {
  addRoute(router, 'GET /_workbench/api/users', {
    query: QUERY,
    handler: ({ query }) => listUsers(session(), query.search),
  })
  addRoute(router, 'POST /_workbench/api/users', {
    input: USER,
    handler: async (_, user) => toShown(await toolsOf(session()).createUser(user)),
  })
  addRoute(router, 'POST /_workbench/api/sessions', {
    input: USER_ID,
    handler: (_, { userId }) => openSession(session(), userId),
  })
  addRoute(router, 'POST /_workbench/api/sessions/end', {
    input: TOKEN,
    async handler(_, { token }) {
      await toolsOf(session()).endSession(token)
      return { ended: true }
    },
  })
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
