// Users and sessions.
export { createAuth } from './create-auth.ts'
export type { Auth, AuthHeaders, RequestOrigin } from './auth.ts'
export type { AuthAdapter, AuthOptions } from './auth-options.ts'
export type { AuthEmailOptions, AuthMail } from './auth-mail.ts'
export type { AuthPlugin } from './auth-plugin.ts'
export type { McpOptions } from './mcp-options.ts'
export type { ThrottleLimits } from './routes/throttle-limits.ts'
export type { NoUserFields, UserField, UserFields } from './user-fields.ts'
export type {
  AuthUser,
  AuthUsers,
  CreatedSession,
  NewUser,
  SignUpInput,
  UserChanges,
  UserPageQuery,
} from './users/auth-users.ts'
export type { ProfileField, Profiles } from './users/profiles.ts'

// Routes and middleware.
export { mountAuthRoutes, type AuthRouteHandler, type AuthRouteInput } from './mount-auth-routes.ts'
export { createSessionMiddleware, type SessionOptions } from './session-middleware.ts'

// The adapter for tables in your own Drizzle schema.
export { drizzleAdapter, type AuthDrizzle, type DrizzleAdapterOptions } from './drizzle-adapter.ts'
