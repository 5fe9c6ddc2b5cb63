import type { OptionsArgument, ParamsOption, QueryValue, SocketOf } from '@sdk/protocol'
import type { AuthSource } from '../auth/auth-source.ts'
import { toSocketUrl } from '../http/base-url.ts'
import { createChannel, type ChannelSettings } from './channel.ts'
import { createChannelRefcount, type ShareSettings, type SharedChannel } from './channel-refcount.ts'
import type { TokenSource } from './socket-connection.ts'
import type { HttpClient } from '../http/http-client.ts'

/**
 * Options for a socket. All options except `params` and `query` apply to the connection. A shared connection keeps the
 * options of its first caller.
 */
export type SocketOptions<S extends string = string> = ParamsOption<S> &
  ChannelSettings &
  ShareSettings & {
    /** The query parameters. @default {} */
    query?: Readonly<Record<string, QueryValue>> | undefined
  }

/**
 * The arguments after the path. The type is distributive: otherwise, the compiler would report that an unknown path
 * lacks the params of a different path.
 */
export type SocketArguments<S extends string> = S extends string ? OptionsArgument<SocketOptions<S>> : never

/** A channel to one of the app's sockets, with the socket's message types. */
export type ChannelOf<S extends string> = SharedChannel<SocketOf<S>['send'], SocketOf<S>['receive']>

/** The sockets of each client, by URL and user. */
const pools = new WeakMap<HttpClient, Map<string, () => SharedChannel>>()

/**
 * Opens a socket. Callers that open the same socket share a connection, and each caller closes only its own reference.
 */
export function openChannel<S extends string>(client: HttpClient, path: S, ...options: SocketArguments<S>): ChannelOf<S>
export function openChannel(client: HttpClient, path: string, options: SocketOptions = {}): SharedChannel {
  const { auth } = client.options
  const url = toSocketUrl(client.url(path, options))
  const pool = pools.get(client) ?? new Map<string, () => SharedChannel>()
  // Messages from one user's connection must not reach the next user.
  let owner = auth && signedInUserId(auth)
  const key = JSON.stringify([url, owner])
  const share = pool.get(key) ?? open()
  pools.set(client, pool.set(key, share))
  return share()

  function open(): () => SharedChannel {
    const token: TokenSource | undefined = auth && ((request) => auth.token(request))
    const settings = { ...client.options, token, ...options, url }
    const channel = createChannel(settings)
    // The channel closes when its user signs out, so that queued messages are not sent with the next user's token.
    const stop = auth?.subscribe(() => {
      owner ??= signedInUserId(auth)
      if (owner !== signedInUserId(auth)) channel.close()
    })
    return createChannelRefcount(channel, {
      ...settings,
      onEnd() {
        stop?.()
        pool.delete(key)
      },
    })
  }
}

/** Returns the signed-in user's id, an empty string if no user is signed in, or undefined while auth is loading. */
function signedInUserId(auth: AuthSource): string | undefined {
  const { loading, user } = auth.snapshot()
  return loading ? undefined : (user?.id ?? '')
}
