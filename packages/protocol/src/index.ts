// Errors: the class, its codes, and their form on the wire.
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

// Routes: `METHOD /path` taken apart and filled in.
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

// Types of routes and sockets, from the registry that an app fills.
export type {
  Bodiless,
  CallOutput,
  InputArguments,
  OptionsArgument,
  ParamsOption,
  QueryOption,
  QueryValue,
  Serialized,
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

// Streams: bytes in, whole values out.
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

// Sockets: the frames of `sdk.v1`, and the meaning of close codes.
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

// Tokens, in headers and in the handshake of a socket.
export { fromAuthorization, fromSubprotocols, toAuthorization, toSubprotocols } from './auth.ts'

// Lists, page by page.
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

// Schemas of any library that implements Standard Schema.
export {
  invalidRequest,
  toPointer,
  validate,
  type Schema,
  type SchemaInput,
  type SchemaOutput,
  type Validated,
} from './schema.ts'

// Rate limits in headers.
export {
  fromPolicyHeader,
  fromRateLimitHeader,
  fromRetryAfter,
  toPolicyHeader,
  toRateLimitHeader,
  type RatePolicy,
  type RateState,
} from './rate-limit.ts'
