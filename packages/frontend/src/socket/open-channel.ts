import type { OptionsArgument, ParamsOption, QueryValue, SocketOf } from '@sdk/protocol'
import type { AuthSource } from '../auth/auth-source.ts'
import { toSocketUrl } from '../http/base-url.ts'
import { createChannel, type ChannelSettings } from './channel.ts'
import { createChannelRefcount, type ShareSettings, type SharedChannel } from './channel-refcount.ts'
import type { TokenSource } from './socket-connection.ts'
import type { HttpClient } from '../http/http-client.ts'

/**
 * What a socket takes beside its path. All but `params` and `query` belongs to the connection:
 * where one is shared, the options of whoever opened it first hold.
 */
export type SocketOptions<S extends string = string> = ParamsOption<S> &
  ChannelSettings &
  ShareSettings & {
    /** Parameters of the query. @default {} */
    query?: Readonly<Record<string, QueryValue>> | undefined
  }

/**
 * What follows the path. It distributes: otherwise a path that does not exist would be reported to lack the params of
 * another.
 */
export type SocketArguments<S extends string> = S extends string ? OptionsArgument<SocketOptions<S>> : never

/** A socket of the app, with the types of its messages. */
export type ChannelOf<S extends string> = SharedChannel<SocketOf<S>['send'], SocketOf<S>['receive']>

/** The sockets of each client, by what tells them apart. */
const pools = new WeakMap<HttpClient, Map<string, () => SharedChannel>>()

/** Opens a socket of a client's server. All who open the same one share a connection; each closes only its own share. */
export function openChannel<S extends string>(client: HttpClient, path: S, ...options: SocketArguments<S>): ChannelOf<S>
export function openChannel(client: HttpClient, path: string, options: SocketOptions = {}): SharedChannel {
  const { auth } = client.options
  const url = toSocketUrl(client.url(path, options))
  const pool = pools.get(client) ?? new Map<string, () => SharedChannel>()
  // What one user's connection hears must not reach the next user.
  const key = JSON.stringify([url, auth && signedInUserId(auth)])
  const share = pool.get(key) ?? open()
  pools.set(client, pool.set(key, share))
  return share()

  function open(): () => SharedChannel {
    const token: TokenSource | undefined = auth && ((how) => auth.token(how))
    const settings = { ...client.options, token, ...options, url }
    const channel = createChannel(settings)
    // Closed when its user leaves, so that messages that wait are not sent with the token of the next user.
    const stop = auth && onUserChange(auth, channel.close)
    return createChannelRefcount(channel, {
      ...settings,
      onEnd() {
        stop?.()
        pool.delete(key)
      },
    })
  }
}

/** Calls back when the one who is signed in has left; returns the way to stop. */
function onUserChange(auth: AuthSource, leave: () => void): () => void {
  let owner = signedInUserId(auth)
  return auth.subscribe(() => {
    owner ??= signedInUserId(auth)
    if (owner !== signedInUserId(auth)) leave()
  })
}

/** Who is signed in, by id: empty for nobody, undefined while that is not known. */
function signedInUserId(auth: AuthSource): string | undefined {
  const { loading, user } = auth.snapshot()
  return loading ? undefined : (user?.id ?? '')
}
