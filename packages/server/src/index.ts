// What an app is made of.
export { createAgent, isAgent, type Agent, type AgentDefinition, type HandlerResult } from './agent.ts'
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
export { createSocket, type Socket, type SocketDefinition } from './socket/socket.ts'
export { createApp, type App, type AppOptions, type Servable } from './app.ts'
export type { RouteInfo } from './http/route-info.ts'
export type { Limits } from './http/handle.ts'
export type { PolicyName, RateLimits } from './http/rate-limit.ts'
export type { SocketLimits } from './socket/limits.ts'
export type { HealthCheck } from './watch/health.ts'
export { serve } from './serve.ts'
export type { ServeOptions, Server } from './node/serve.ts'

// What handlers work with.
export { ApiError } from '@sdk/protocol'
export type { CallResult, Context } from './context.ts'
export type { RowCondition, Rows } from './resource/rows.ts'
export type { JoinOptions, Peer } from './socket/peer.ts'
export type { Presence } from './socket/presence.ts'
export type { Kv, KvChange, KvIncrementOptions, KvSetOptions } from './engine/kv.ts'
export type { MessageOf, Running, Start, Stop } from './running.ts'
export { readForm, type FormOptions } from './http/form.ts'
export { readText } from './http/fetch-door.ts'
export { parseJson } from './http/json.ts'
export { hono } from './hono.ts'

// What an app tells: its log, its metrics, its place in a trace, its OpenAPI document.
export { createLog, type Log, type LogFields, type LogOptions } from './log/log.ts'
export { fromPino, type PinoLike } from './log/pino.ts'
export type { RequestRecord } from './log/access-log.ts'
export type { Metrics, Reading } from './watch/metrics.ts'
export type { Trace } from './watch/trace.ts'
export { openapi, type OpenApiOptions } from './openapi/openapi.ts'
export type { OpenApiDocument } from './openapi/document.ts'

// Where rows live. For tests, and for a store of your own.
export { memoryStore } from './resource/memory-store.ts'
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

// What processes share. For an engine of your own, see also `@sdk/server/engine`.
export { memoryEngine, type MemoryEngine, type MemoryEngineOptions } from './engine/memory-engine.ts'
export type { MemoryHistoryOptions } from './engine/stream-shelf.ts'
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
export type { Quota, RateDecision } from './engine/gcra.ts'

// Who is signed in. `@sdk/auth` fills this seat.
export {
  requireUser,
  type Authenticate,
  type OpenedSession,
  type RequestAuth,
  type Session,
  type SessionHost,
  type SessionMiddleware,
  type User,
  type UserTools,
} from './auth-seat.ts'

// For tools and packages that stand in front of an app, or watch it.
export type { Call, Piece, Reply, ReplyStream } from './http/call.ts'
export type { SocketAdmission } from './http/admission.ts'
export type { CallWatch, RunWatch } from './watch/call-watch.ts'
export { addressKey, clientAddress, createTrust } from './http/address.ts'
export { refuseEnv, type EnvFault } from './env-fault.ts'
