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
export type {
  Bodiless,
  CallOutput,
  InputArguments,
  OptionsArgument,
  ParamsOption,
  QueryOption,
  QueryValue,
  Told,
} from './call.ts'
export type { RouteIO, RouteName, RouteOf, Routes, SocketIO, SocketName, SocketOf, Sockets, Typed } from './registry.ts'
export {
  CONTENT_TYPE,
  createChunkSplitter,
  framingOf,
  joinLine,
  parseJson,
  type ChunkOptions,
  type Framing,
} from './stream.ts'
export { createSplitter, MAX_PIECE, type Splitter, type SplitterOptions } from './splitter.ts'
export { createEventSplitter, joinEvent, type ServerSentEvent } from './sse.ts'
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
export { fromAuthorization, fromSubprotocols, toAuthorization, toSubprotocols } from './auth.ts'
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
export {
  invalidRequest,
  toPointer,
  validate,
  type Schema,
  type SchemaInput,
  type SchemaOutput,
  type Validated,
} from './schema.ts'
export {
  fromPolicyHeader,
  fromRateLimitHeader,
  fromRetryAfter,
  toPolicyHeader,
  toRateLimitHeader,
  type RatePolicy,
  type RateState,
} from './rate-limit.ts'
