import type { ApiError, ReadyState, SocketName, SocketOf } from '@sdk/protocol'
import { useCallback, useEffect, useSyncExternalStore } from 'react'
import {
  createChannelView,
  openChannel,
  toReadyState,
  type ChannelViewState,
  type Gap,
  type OptionsArgument,
  type SocketOptions,
  type SocketStatus,
} from '@sdk/frontend'
import { toPlainJson } from './query-route.ts'
import { useIdentity, useSdk } from './sdk-context.ts'
import { useKeyed } from './use-keyed.ts'
import { useLatest } from './use-latest.ts'

/** Options for `useWebsocket`. */
export type WebsocketOptions<S extends string> = SocketOptions<S> & {
  /**
   * Whether to open a connection. If false, `status` is `idle`, there are no messages, and `send` returns false.
   * Disabling releases the connection, as unmounting does. If it is enabled again within a second, the connection is
   * reused.
   * @default true
   */
  enabled?: boolean | undefined
  /** Called for every message. */
  onMessage?: ((message: SocketOf<S>['receive']) => unknown) | undefined
  /** The maximum length of `messages`. Only the value on the first render is used. @default 10_000 */
  maxMessages?: number | undefined
  /** Called when messages are permanently lost, so that the component can reload its data. */
  onGap?: ((gap: Gap) => unknown) | undefined
}

/** The result of `useWebsocket`. */
export interface WebsocketResult<S extends string> {
  /** Whether the connection is open. */
  isConnected: boolean
  /**
   * Sends a JSON message, immediately or as soon as the socket is connected. Returns false if the message cannot be
   * accepted, for example because this `send` function belongs to a previous path.
   */
  send: (message: SocketOf<S>['send']) => boolean
  /** Releases the connection for this component. The connection closes when the last component releases it. */
  close: () => void
  /** The latest message. */
  data: SocketOf<S>['receive'] | undefined
  /**
   * All messages since the component was mounted or enabled, but at most the last `maxMessages`. While React's
   * `<Activity>` hides the component, the messages are kept, but no new messages are received.
   */
  messages: readonly SocketOf<S>['receive'][]
  /** Empties `messages`. */
  clearMessages: () => void
  /** The last error. It is cleared when the connection reopens or the next message is sent over an open connection. */
  error: ApiError | null
  /** The state of the connection, as in `WebSocket`: 0 is connecting, 1 is open and 3 is closed. */
  readyState: ReadyState
  /** The status of the connection, which is more detailed than `readyState`. */
  status: SocketStatus
  /** The number of messages that the server has not acknowledged yet. */
  pending: number
}

/**
 * Opens a socket while the component is mounted. The socket reconnects automatically. Components that use the same path
 * share a connection.
 * @example const { send, messages } = useWebsocket('/ws/chat')
 */
export function useWebsocket<S extends SocketName>(
  path: S,
  ...options: S extends string ? OptionsArgument<WebsocketOptions<S>> : never
): WebsocketResult<S>
export function useWebsocket(path: string, options?: WebsocketOptions<string>): WebsocketResult<string> {
  const { client } = useSdk()
  const identity = useIdentity(client)
  const latest = useLatest(options)
  const { enabled = true } = options ?? {}
  const target = JSON.stringify(toPlainJson({ params: options?.params, query: options?.query }))
  // Each address gets a new view: a late call to an old `send` must not reach a different address.
  const view = useKeyed(path + target, () => createChannelView({ maxMessages: options?.maxMessages }))
  // Messages are not queued while disabled: they would be sent to the socket that is opened next.
  const send = useCallback((message: unknown) => latest()?.enabled !== false && view.send(message), [latest, view])
  const name = enabled && identity !== undefined ? JSON.stringify([path, target, identity]) : undefined
  useEffect(() => {
    if (name === undefined) return view.clear()
    const channel = openChannel(client, path, { ...latest(), ...(JSON.parse(target) as SocketOptions) })
    const detach = view.attach(channel, name)
    // Registered after the view, so that a listener that throws does not affect it.
    channel.onMessage((message) => latest()?.onMessage?.(message))
    channel.onGap((gap) => latest()?.onGap?.(gap))
    return detach
  }, [view, client, path, target, name, latest])
  // Never renders messages from a different address or for a different user.
  const get = (): ChannelViewState => view.of(name)
  const { status, data, messages, error, pending } = useSyncExternalStore(view.subscribe, get, get)
  const { close, clear: clearMessages } = view
  const isConnected = status === 'open'
  const readyState = toReadyState(enabled ? status : 'closed')
  return { isConnected, send, close, data, messages, clearMessages, error, readyState, status, pending }
}
