import type { Servable } from './app.ts'
import type { ServeOptions, Server } from './node/serve.ts'

export { ApiError } from '@sdk/protocol'
export { createAgent, isAgent, type Agent, type AgentDefinition, type HandlerResult } from './agent.ts'
export { createApp, type App, type AppOptions, type RouteInfo, type Servable } from './app.ts'
export type { SocketAdmission } from './http/admission.ts'
export type { RequestRecord } from './log/access-log.ts'
export type { HealthCheck } from './watch/health.ts'
export type { Metrics, Reading } from './watch/metrics.ts'
export { fromPino, type PinoLike } from './log/pino.ts'
export type { CallWatch, RunWatch } from './watch/call-watch.ts'
export type { Trace } from './watch/trace.ts'
export type {
  Authenticate,
  OpenedSession,
  RequestAuth,
  Session,
  SessionHost,
  SessionMiddleware,
  User,
  UserTools,
} from './auth-seat.ts'
export type { Call, Piece, Reply, ReplyStream } from './http/call.ts'
export type { CallResult, Context } from './context.ts'
export { refuseEnv, type EnvFault } from './env-fault.ts'
export { addressKey, clientAddress, createTrust } from './http/address.ts'
export { readText } from './http/fetch-door.ts'
export { readForm, type FormOptions } from './http/form.ts'
export { parseJson } from './http/json.ts'
export type {
  Engine,
  EngineFrame,
  EngineMember,
  EnginePosition,
  EngineNames,
  EnginePresence,
  EngineSequence,
  EngineSubscription,
} from './engine/engine.ts'
export type { EngineKv, Swap } from './engine/engine-kv.ts'
export type { Kv, KvChange, KvIncrementOptions, KvSetOptions } from './engine/kv.ts'
export type { OpenApiDocument } from './openapi/document.ts'
export { openapi, type OpenApiOptions } from './openapi/openapi.ts'
export { hono } from './hono.ts'
export { createLog, type Log, type LogFields, type LogOptions } from './log/log.ts'
export type { ServeOptions, Server } from './node/serve.ts'
export { memoryEngine, type MemoryEngine, type MemoryEngineOptions } from './engine/memory-engine.ts'
export type { Quota, RateDecision } from './engine/gcra.ts'
export type { MemoryHistoryOptions } from './engine/stream-shelf.ts'
export type { Limits } from './http/handle.ts'
export type { SocketLimits } from './socket/limits.ts'
export type { JoinOptions, Peer } from './socket/peer.ts'
export type { Presence } from './socket/presence.ts'
export type { PolicyName, RateLimits } from './http/rate-limit.ts'
export {
  createResource,
  type AccessCall,
  type AssignCall,
  type Item,
  type Resource,
  type ResourceAccess,
  type ResourceAction,
  type ResourceDefinition,
  type ResourceCheck,
  type ResourceEvents,
} from './resource.ts'
export type { ResourceOptions } from './resource/lifetime.ts'
export { memoryStore } from './resource/memory-store.ts'
export type { Rows } from './resource/rows.ts'
export type {
  Condition,
  Field,
  Fields,
  FieldType,
  ListQuery,
  ListResult,
  OnceKey,
  OnceResult,
  ResourceShape,
  Row,
  Scalar,
  SortKey,
  Store,
  StoreSource,
  Target,
  Where,
} from './resource/store.ts'
export {
  createRouter,
  isRouter,
  type Handler,
  type Middleware,
  type ResourceRoutes,
  type RouteDefinition,
  type Router,
  type RoutesOf,
} from './router.ts'
export type { MessageOf, Running, Start, Stop } from './running.ts'
export { createSocket, type Socket, type SocketDefinition } from './socket/socket.ts'

/**
 * Serves an app on plain Node.
 * @example const server = await serve(app, { port: 3000 }); await server.close()
 */
export async function serve(app: Servable, options?: ServeOptions): Promise<Server> {
  // Loaded when called, so that the package itself runs where there is no `node:http`.
  const { listen } = await import('./node/serve.ts')
  return listen(app, options)
}
