// The client of a server: calls, streams and sockets.
export { createClient, type Client } from './client.ts'
export { createHttpClient, type ClientOptions, type HttpClient } from './http-client.ts'
export {
  toArguments,
  type CallArguments,
  type CallOptions,
  type IsEvery,
  type RequestOptions,
  type SendOptions,
} from './call.ts'
export type { CallOutput, OptionsArgument, ParamsOption, QueryOption, QueryValue } from '@sdk/protocol'
export type { Reply } from './response.ts'
export type { StreamReply } from './stream-reply.ts'
export type { GatherOptions } from './gather.ts'
export { toApiError } from './failure.ts'
export { isApiError, type ApiError } from '@sdk/protocol'
export { buildUrl, type UrlOptions } from './url.ts'

// Who is signed in.
export type { AuthSnapshot, AuthSource, AuthUser } from './auth-source.ts'
export { createSessionClient, type SessionClient, type SessionClientOptions } from './session-client.ts'
export type { ReturnEvents } from './page-return.ts'

// Small parts that bindings to a UI framework need.
export { createStore, type Store, type WritableStore } from './store.ts'
export { createBatch, type Batch, type BatchOptions } from './batch.ts'
export { type Clock } from './clock.ts'

// Sockets, from the connection up to a view to render.
export { backoffDelay, type BackoffOptions } from './backoff.ts'
export type { WebSocketClass, WebSocketEvent, WebSocketLike } from './connection.ts'
export {
  createReconnectingSocket,
  type ReconnectingSocket,
  type ReconnectingSocketOptions,
  type SocketSettings,
} from './reconnecting-socket.ts'
export type { SocketStatus } from './line.ts'
export type { PageEvent, PageEvents } from './page-events.ts'
export type { Patience } from './pulse.ts'
export {
  createChannel,
  toReadyState,
  type Channel,
  type ChannelOptions,
  type ChannelSettings,
  type ChannelState,
  type Gap,
} from './channel.ts'
export type { SharedChannel } from './share-channel.ts'
export { openChannel, type ChannelOf, type SocketOptions } from './open-channel.ts'
export { createChannelView, type ChannelView, type ChannelViewOptions, type ChannelViewState } from './channel-view.ts'
