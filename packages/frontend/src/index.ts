// The client for calls, streams and sockets.
export { createClient, type Client, type WatchedRoute, type WatchTarget } from './client.ts'
export { createHttpClient, type ClientOptions, type HttpClient } from './http/http-client.ts'
export {
  toArguments,
  type CallArguments,
  type CallOptions,
  type DurableOption,
  type IsDurable,
  type RequestOptions,
  type RunOptions,
  type RunState,
  type SendOptions,
} from './http/call.ts'
export type {
  CallOutput,
  ExpandName,
  IsEvery,
  OptionsArgument,
  ParamsOption,
  QueryOption,
  QueryValue,
} from '@sdk/protocol'
export type { Reply } from './http/response.ts'
export type { StreamReply } from './http/stream-reply.ts'
export type { CollectOptions } from './http/collect-chunks.ts'
export { toApiError } from './http/to-api-error.ts'
export { isApiError, type ApiError } from '@sdk/protocol'
export { buildUrl, type UrlOptions } from './http/url.ts'

// Sockets: connections, channels and views for rendering.
export { backoffDelay, type BackoffOptions } from './backoff.ts'
export type { WebSocketClass, WebSocketEvent, WebSocketLike } from './socket/socket-connection.ts'
export {
  createReconnectingSocket,
  type ReconnectingSocket,
  type ReconnectingSocketOptions,
  type SocketSettings,
  type SocketStatus,
} from './socket/reconnecting-socket.ts'
export type { PageEvent, PageEvents } from './page-events.ts'
export type { SocketTimeouts } from './socket/heartbeat.ts'
export {
  createChannel,
  toReadyState,
  type Channel,
  type ChannelOptions,
  type ChannelSettings,
  type ChannelState,
  type Gap,
} from './socket/channel.ts'
export type { SharedChannel } from './socket/channel-refcount.ts'
export { openChannel, type ChannelOf, type SocketOptions } from './socket/open-channel.ts'
export {
  createChannelView,
  type ChannelView,
  type ChannelViewOptions,
  type ChannelViewState,
} from './socket/channel-view.ts'

// Authentication.
export type { AuthSnapshot, AuthSource, AuthUser, SignUpAccount } from './auth/auth-source.ts'
export { createSessionClient, type SessionClient, type SessionClientOptions } from './auth/session-client.ts'
export type { VisibilityEvents } from './auth/page-visibility.ts'

// Utilities for UI framework bindings.
export { createStore, type Store, type WritableStore } from './store/store.ts'
export { createBatch, type Batch, type BatchOptions } from './store/batch.ts'
export { type Clock } from './clock.ts'
