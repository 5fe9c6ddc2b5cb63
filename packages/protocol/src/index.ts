// Errors: the class, the codes, and the wire format.
export { ERROR_STATUS, isCode, type ErrorCode } from './error-codes.ts'
export {
  CommonApiError,
  MAX_DETAILS,
  type ApiErrorOptions,
  type DetailCode,
  type DetailSource,
  type ErrorDetail,
} from './api-error.ts'
export { ApiError, codeOfStatus } from './errors.ts'
export { fromEnvelope, isApiError, isEnvelope, toEnvelope, type ErrorEnvelope } from './envelope.ts'

// Routes: parsing `METHOD /path` and filling in path parameters.
export {
  fillPath,
  METHODS,
  paramNames,
  parseRoute,
  type Method,
  type ParamName,
  type PathOf,
  type PathParams,
  type Route,
} from './route.ts'

export { toQueryText } from './query.ts'

// The types of routes and sockets, from the registry that an app fills.
export type {
  Bodiless,
  CallOutput,
  ExpandName,
  ExpandRequired,
  InputArguments,
  IsEvery,
  OptionsArgument,
  ParamsOption,
  QueryOption,
  QueryValue,
  RouteArguments,
  Serialized,
  SerializedResult,
  With,
} from './call.ts'
export type {
  RouteIO,
  RouteName,
  RouteOf,
  Routes,
  SocketIO,
  SocketName,
  SocketOf,
  Sockets,
  HasTypes,
} from './registry.ts'

// Streams: splitting bytes into complete values.
export {
  CONTENT_TYPE,
  createChunkSplitter,
  framingOf,
  joinLine,
  parseResponseJson,
  type ChunkOptions,
  type Framing,
} from './stream.ts'
export { createSplitter, MAX_PIECE, type Splitter, type SplitterOptions } from './splitter.ts'
export { createEventSplitter, joinEvent, type ServerSentEvent } from './sse.ts'

// Durable runs: headers, positions, and the state of a run.
export {
  formatRunPosition,
  parseRunPosition,
  RETRACT_EVENT,
  RUN_ID_HEADER,
  RUN_POSITION_HEADER,
  RUN_THREAD_HEADER,
  type Retraction,
  type Run,
  type RunPosition,
  type RunRoutes,
  type RunStatus,
  type RunWaiting,
  type Thread,
  type ThreadSummary,
} from './run.ts'
export {
  LIVE_SOCKET,
  type LiveChange,
  type LiveEnd,
  type LiveError,
  type LiveMessage,
  type LiveRequest,
  type LiveSame,
  type LiveSnapshot,
  type LiveSubscribe,
  type LiveSync,
  type LiveSynced,
} from './live.ts'

// Sockets: the frames of `sdk.v1` and the meanings of close codes.
export {
  afterClose,
  CLOSE,
  decodeClientFrame,
  decodeServerFrame,
  encodeFrame,
  READY_STATE,
  SUBPROTOCOL,
  type AfterClose,
  type ClientFrame,
  type Position,
  type ReadyState,
  type ServerFrame,
} from './socket.ts'

// Tokens in headers and in WebSocket handshakes.
export { fromAuthorization, fromSubprotocols, toAuthorization, toSubprotocols } from './auth.ts'

// Pagination.
export {
  decodeCursor,
  encodeCursor,
  PAGE_LIMIT,
  toLinkHeader,
  type Cursor,
  type CursorValue,
  type Page,
  type Pagination,
} from './page.ts'

// Schemas from any library that implements Standard Schema.
export {
  invalidRequest,
  toPointer,
  validate,
  type Schema,
  type SchemaInput,
  type SchemaOutput,
  type Validated,
} from './schema.ts'

// Rate limit headers.
export {
  fromPolicyHeader,
  fromRateLimitHeader,
  fromRetryAfter,
  toPolicyHeader,
  toRateLimitHeader,
  type RatePolicy,
  type RateState,
} from './rate-limit.ts'
