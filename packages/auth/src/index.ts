export { createAuth, type Auth, type AuthHeaders } from './create-auth.ts'
export type { AuthAdapter, AuthOptions, AuthPlugin } from './auth-options.ts'
export { mountAuthRoutes, type AuthRoutes } from './mount-auth-routes.ts'
export { createSessionMiddleware, type SessionOptions } from './session-middleware.ts'
