import { ApiError, type Router, type SessionProvider, type User, type UserTools } from '@sdk/server'
import type { UserList, UserSession, WorkbenchUser } from '../api.ts'
import { addRoute } from './api-route.ts'
import { fields, isMaybeText, textOf, type FieldCheck } from './fields.ts'

/** The maximum number of listed users. Other users can be found by searching. */
const MAX_LISTED_USERS = 100

const isAddress: FieldCheck = (value) =>
  typeof value === 'string' && value.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(value)
    ? null
    : 'must be an email address'

const USERS_QUERY = fields<{ search?: string }>({ search: isMaybeText(200) })
const USER_INPUT = fields<{ name: string; email: string }>({ name: textOf(200), email: isAddress })
const SESSION_INPUT = fields<{ userId: string }>({ userId: textOf(200) })
const TOKEN_INPUT = fields<{ token: string }>({ token: textOf(2_000) })

/** Adds the routes for users, for the app's auth routes, and for the sessions in which the workbench acts as a user. */
export function addUsersRoutes(router: Router, session: () => SessionProvider | null): void {
  addRoute(router, 'GET /_workbench/api/auth-routes', {
    handler: async () => ({ routes: (await session()?.development?.listRoutes?.()) ?? [] }),
  })
  addRoute(router, 'GET /_workbench/api/users', {
    query: USERS_QUERY,
    handler: ({ query }) => listUsers(session(), query.search),
  })
  addRoute(router, 'POST /_workbench/api/users', {
    input: USER_INPUT,
    handler: async (_, user) => toWorkbenchUser(await toolsOf(session()).createUser(user)),
  })
  addRoute(router, 'POST /_workbench/api/sessions', {
    input: SESSION_INPUT,
    handler: (_, { userId }) => openUserSession(session(), userId),
  })
  addRoute(router, 'POST /_workbench/api/sessions/end', {
    input: TOKEN_INPUT,
    async handler(_, { token }) {
      await toolsOf(session()).endSession(token)
      return { ended: true }
    },
  })
}

async function listUsers(session: SessionProvider | null, search: string | undefined): Promise<UserList> {
  const tools = session?.development
  if (!tools) return { hasAuth: false, users: [] }
  const users = await tools.listUsers({ search, limit: MAX_LISTED_USERS })
  return { hasAuth: true, users: users.map(toWorkbenchUser) }
}

async function openUserSession(session: SessionProvider | null, userId: string): Promise<UserSession> {
  const opened = await toolsOf(session).openSession(userId)
  if (opened === null) throw new ApiError('NOT_FOUND', `user ${userId} not found`)
  return { ...opened, user: toWorkbenchUser(opened.user) }
}

function toolsOf(session: SessionProvider | null): UserTools {
  if (session?.development) return session.development
  throw new ApiError('CONFLICT', 'this app has no users: add createSessionMiddleware(auth) from @sdk/auth to its API')
}

function toWorkbenchUser({ id, name, email, createdAt }: User): WorkbenchUser {
  return { id, name, email, createdAt }
}
