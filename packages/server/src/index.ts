import type { Servable } from './app.ts'
import type { ServeOptions, Server } from './node/serve.ts'

export { ApiError } from '@sdk/protocol'
export { createAgent, isAgent, type Agent, type AgentDefinition, type HandlerResult } from './agent.ts'
export { createApp, type App, type AppOptions, type RouteInfo, type Servable } from './app.ts'
export type { SocketAdmission } from './admission.ts'
export type { RequestRecord } from './access-log.ts'
export type { HealthCheck } from './health.ts'
export type { Metrics, Reading } from './metrics.ts'
export { fromPino, type PinoLike } from './pino.ts'
export type { Trace } from './trace.ts'
export type { Authenticate, RequestAuth, Session, SessionMiddleware, User } from './auth-seat.ts'
export type { Call, Piece, Reply, ReplyStream } from './call.ts'
export type { CallResult, Context } from './context.ts'
export type { Engine, EngineFrame } from './engine.ts'
export type { EngineKv, Swap } from './engine-kv.ts'
export type { Kv, KvChange, KvIncrementOptions, KvSetOptions } from './kv.ts'
export { openapi, type OpenApiDocument, type OpenApiOptions } from './openapi.ts'
export { hono } from './hono.ts'
export { createLog, type Log, type LogFields, type LogOptions } from './log.ts'
export type { ServeOptions, Server } from './node/serve.ts'
export { memoryEngine, type MemoryEngine, type MemoryEngineOptions } from './memory-engine.ts'
export type { Quota, RateDecision } from './gcra.ts'
export type { Limits } from './handle.ts'
export type { Peer } from './peer.ts'
export type { PolicyName, RateLimits } from './rate-limit.ts'
export {
  createRouter,
  isRouter,
  type Handler,
  type Middleware,
  type RouteDefinition,
  type Router,
  type RoutesOf,
} from './router.ts'
export { createSocket, type Socket, type SocketDefinition } from './socket.ts'

/**
 * Serves an app on plain Node.
 * @example const server = await serve(app, { port: 3000 }); await server.close()
 */
export async function serve(app: Servable, options?: ServeOptions): Promise<Server> {
  // Loaded when called, so that the package itself runs where there is no `node:http`.
  const { listen } = await import('./node/serve.ts')
  return listen(app, options)
}
