// App definition.
export {
  createAgent,
  isAgent,
  type Agent,
  type AgentDefinition,
  type AgentIO,
  type DurableAgentDefinition,
  type DurableIO,
  type HandlerResult,
} from './define/agent.ts'
export {
  createRouter,
  isRouter,
  type Handler,
  type RouteDefinition,
  type Router,
  type RoutesOf,
} from './define/router.ts'
export { type ResourceRoutes } from './define/resource-routes.ts'
export { type Middleware } from './define/middleware.ts'
export {
  createResource,
  type AssignRequest,
  type Item,
  type Resource,
  type ResourceDefinition,
  type ResourceCheck,
  type TypesOf,
} from './define/resource.ts'
export { relate, type WithRelations } from './define/relate.ts'
export { connectReferences, type References } from './resource/references.ts'
export { toResourceKey, type ResourceKey } from './define/resource-key.ts'
export {
  belongsTo,
  countOf,
  existsIn,
  hasMany,
  type CountOptions,
  type HasManyOptions,
  type RelatedWhere,
  type Relation,
  type RelationTarget,
  type Representation,
} from './define/relation.ts'
export type {
  AccessRequest,
  ComputedValue,
  LiveDependency,
  LiveOptions,
  Reference,
  ReferenceTarget,
  ResourceAccess,
  ResourceAction,
  ResourceEvents,
} from './define/resource-definition.ts'
export type { InspectedLiveList, Live, LiveInspection } from './live/create-live.ts'
export type { LiveSettings } from './live/live-groups.ts'
export type { LiveStats } from './live/live-stats.ts'
export type { ResourceOptions } from './define/lifetime.ts'
export { createSocket, type Socket, type SocketDefinition } from './define/socket.ts'
export { createApp, type App, type AppOptions, type Servable } from './app/app.ts'
export type { FormatError, FormattedError } from './app/format-error.ts'
export type { RouteInfo } from './app/route-info.ts'
export type { RequestLimits } from './http/request-limits.ts'
export type { JsonLimits } from './schema/json-bounds.ts'
export type { PolicyName, RateLimits } from './guard/rate-limit.ts'
export type { SocketLimits } from './socket/limits.ts'
export type { HealthCheck } from './observe/health-check.ts'
export { serve } from './serve.ts'
export type { ServeOptions, Server } from './node/serve.ts'

// Handlers.
export { ApiError, type With } from '@sdk/protocol'
export type { CallResult, ContextCalls } from './context/context-calls.ts'
export type { Context } from './context/context.ts'
export type { NestedCallOptions, RouteCallArguments, RouteCallOptions, RouteCallResult } from './context/route-call.ts'
export type { NamedTools, Tool, ToolInput, ToolOutput, ToolSchema } from './context/tool.ts'
export type { RowCondition, Rows } from './context/rows.ts'
export type {
  ContextTransaction,
  ContextTransactionOptions,
  TransactionOptions,
  TransactionQuery,
} from './context/transaction.ts'
export type { JoinOptions, Peer } from './define/peer.ts'
export type { Presence } from './engine/list-presence.ts'
export type { Kv, KvChange, KvIncrementOptions, KvSetOptions } from './engine/kv.ts'
export type { MessageOf, AppHandle, Start, Stop } from './define/on-start.ts'
export { readForm, readFormParts, type FormOptions } from './http/form.ts'
export type { FormPart } from './http/multipart.ts'
export { readText } from './http/read-text.ts'
export { parseJson } from './http/json.ts'
export { hono } from './hono.ts'

// Observability (logs, metrics and traces) and OpenAPI.
export { createLog, type Log, type LogOptions } from './log/log.ts'
export type { LogFields } from './log/log-value.ts'
export { fromPino, type PinoLike } from './log/pino.ts'
export type { RequestRecord } from './log/access-line.ts'
export type { Metrics, Reading } from './observe/metrics.ts'
export type { Trace } from './observe/trace.ts'
export { openapi, type OpenApiOptions } from './openapi/openapi.ts'
export type { OpenApiDocument } from './openapi/document.ts'

// Stores for tests, and types for custom stores.
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
  RelatedQuery,
  RelatedValue,
  ResourceShape,
  Row,
  Scalar,
  SortKey,
  Store,
  StoreReference,
  StoreSource,
  StoreTransaction,
  Target,
  Where,
} from './define/store.ts'
export type { Judgement, PlannedChange, PlannedStep, StorePlan } from './define/store-plan.ts'

// Durable agents: context, options and run store.
export type {
  DurableContext,
  RunInfo,
  StepInfo,
  StepOptions,
  StepRunner,
  ThreadInfo,
  TransactionStepInfo,
  WaitOptions,
} from './context/durable-context.ts'
export type { SleepTime, StartedRun, StartOptions, StartRun } from './context/start.ts'
export type { DurableOptions, DurableSettings, EventSchemas, RunAccessRequest } from './define/durable.ts'
export { nextTicks, type Schedule, type ScheduleOption } from './define/schedule.ts'
export { memoryRuns } from './run/store/memory-run-store.ts'
export { crashedEnd } from './run/store/memory-values.ts'
export { INLINE_SIZE, MAX_PAGE_CHUNKS, RUN_LIMITS, START_KEY_PREFIX, SUSPECT_CRASHES } from './run/run-limits.ts'
export {
  INSPECT_LIMITS,
  type InspectableRunStore,
  type InspectedAttempt,
  type InspectedChunk,
  type InspectedEvent,
  type InspectedRun,
  type InspectedStep,
  type InspectQuery,
  type FoundRun,
  type FoundStep,
  type RunInspection,
  type RunInspector,
  type StoredJson,
  type StoredTrace,
} from './run/store/run-inspector.ts'
export type { StepKind, StepTrace } from './run/step/step-traces.ts'
export type {
  ClaimedRun,
  CreatedRun,
  FinishedStep,
  NewRun,
  RunChunks,
  RunClaim,
  RunEnd,
  RunPage,
  RunPause,
  RunQuery,
  RunStore,
  RunWrite,
  SendOutcome,
  SentEvent,
  StoredRun,
  TransactionStepOutcome,
  StoredStep,
  StoredValue,
} from './run/store/run-store.ts'
export type { AgentSchedule, ScheduleStore } from './run/store/schedule-store.ts'
export { THREAD_TTL_MS } from './run/store/thread-store.ts'
export type { StoredThread, ThreadQuery, ThreadRef, ThreadStore } from './run/store/thread-store.ts'

// Engines. For a custom engine, see also `@sdk/server/engine`.
export { memoryEngine, type MemoryEngine, type MemoryEngineOptions } from './engine/memory-engine.ts'
export type { MemoryHistoryOptions } from './engine/memory-streams.ts'
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
export type { EngineKv, CompareAndSet } from './engine/engine-kv.ts'
export type { Quota, RateDecision } from './engine/gcra.ts'

// Authentication. `@sdk/auth` implements these types.
export type {
  Authenticate,
  AuthRouteInfo,
  OpenedSession,
  SessionProvider,
  SessionHost,
  UserTools,
  WellKnownDocument,
} from './auth/session-provider.ts'
export { type SessionMiddleware } from './define/session-middleware.ts'
export { requireScope } from './context/require-scope.ts'
export { requireUser } from './context/require-user.ts'
export { type RequestAuth, type User } from './auth/identity.ts'

// For tools and packages that wrap or observe an app.
export { offerTools, resolveTools } from './tool/resolve-tools.ts'
export { getCancellations } from './tool/cancellations.ts'
export type { CancellableCall, Cancellations } from './context/cancellations.ts'
export type { RouteTool, ToolOutcome, ToolRoutes, ToolRunOptions } from './context/tool.ts'
export type { ServerRequest } from './http/server-request.ts'
export { JsonText } from './http/json-text.ts'
export type { Reply } from './http/reply.ts'
export type { BodyChunk, ReplyStream } from './http/reply-stream.ts'
export type { SocketAdmission } from './guard/socket-admission.ts'
export type { BackgroundRun, ObserveRun, RequestObserver, RunObserver } from './observe/request-observer.ts'
export { addressKey, clientAddress, createTrust } from './http/client-address.ts'
export { attachError, attachFailure } from './http/response-error.ts'
export { reportEnvError, type EnvError } from './platform/env-error.ts'
