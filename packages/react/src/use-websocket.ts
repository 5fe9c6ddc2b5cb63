import type { ApiError, ReadyState, SocketName, SocketOf } from '@sdk/protocol'
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react'
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
import { useLatest } from './use-latest.ts'

/** Options of `useWebsocket`. */
export type WebsocketOptions<S extends string> = SocketOptions<S> & {
  /**
   * False opens nothing: `status` is `idle`, there are no messages, and `send` returns false. Turned off, it lets go of the
   * connection as when the component unmounts; turned on again within a second, it goes on with it. @default true
   */
  enabled?: boolean | undefined
  /** Called for every message. */
  onMessage?: ((message: SocketOf<S>['receive']) => unknown) | undefined
  /** How many `messages` are kept, from the first render on. @default 10_000 */
  maxMessages?: number | undefined
  /** Called where messages were lost for good, so that the component can load anew what they told. */
  onGap?: ((gap: Gap) => unknown) | undefined
}

/** What `useWebsocket` gives. */
export interface WebsocketResult<S extends string> {
  /** Is the connection open? */
  isConnected: boolean
  /**
   * Sends one JSON message to this address, now or when there is a connection; false where it cannot be taken, as by one
   * that was given for another address before.
   */
  send: (message: SocketOf<S>['send']) => boolean
  /** Closes this component's share of the connection; the last one ends it. */
  close: () => void
  /** The latest message. */
  data: SocketOf<S>['receive'] | undefined
  /**
   * All messages since the component mounted or was enabled, at most the last `maxMessages`. They stay while an
   * `<Activity>` of React hides the component, which receives none meanwhile.
   */
  messages: readonly SocketOf<S>['receive'][]
  /** Empties `messages`. */
  clearMessages: () => void
  /** The last error; null again when the connection is open again, and when the next message is sent over an open one. */
  error: ApiError | null
  /** 0 connecting, 1 open, 3 closed, as in `WebSocket`. */
  readyState: ReadyState
  /** The same in words, and more of them. */
  status: SocketStatus
  /** How many messages the server has not yet handled. */
  pending: number
}

/**
 * Opens a socket while the component is mounted. It reconnects by itself; components on one path share a connection.
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
  // A new one for each address: a `send` that was given for one, and is called late, must not reach another.
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- they are what it is for, and no reason to lose messages
  const view = useMemo(() => createChannelView({ maxMessages: options?.maxMessages }), [path, target])
  // While it is off nothing is queued: it would go to whatever socket is opened next.
  const send = useCallback((message: unknown) => latest()?.enabled !== false && view.send(message), [latest, view])
  const name = enabled && identity !== undefined ? JSON.stringify([path, target, identity]) : undefined
  useEffect(() => {
    if (name === undefined) return view.clear()
    const channel = openChannel(client, path, { ...latest(), ...(JSON.parse(target) as SocketOptions) })
    const detach = view.attach(channel, name)
    // After the view, so that one that throws takes nothing from it.
    channel.onMessage((message) => latest()?.onMessage?.(message))
    channel.onGap((gap) => latest()?.onGap?.(gap))
    return detach
  }, [view, client, path, target, name, latest])
  // Never renders messages of another address or of another user.
  const get = (): ChannelViewState => view.of(name)
  const { status, data, messages, error, pending } = useSyncExternalStore(view.subscribe, get, get)
  const { close, clear: clearMessages } = view
  const isConnected = status === 'open'
  const readyState = toReadyState(enabled ? status : 'closed')
  return { isConnected, send, close, data, messages, clearMessages, error, readyState, status, pending }
}
