import type { SocketName } from '@sdk/protocol'
import { createHttpClient, type ClientOptions, type HttpClient } from './http/http-client.ts'
import { openChannel, type ChannelOf, type SocketArguments } from './socket/open-channel.ts'

/** A client for calls, streams and sockets. */
export interface Client extends HttpClient {
  /**
   * Opens a socket. Callers that open the same path share its connection.
   * @example
   * const chat = client.socket('/ws/chat')
   * chat.onMessage(show)
   * chat.send({ text: 'Hello' })
   */
  socket<S extends SocketName>(path: S, ...options: SocketArguments<S>): ChannelOf<S>
}

/**
 * Creates a client for calls, streams and sockets, typed by the server's routes. Inside a full-stack project, no
 * options are needed. In React, the hooks in `@sdk/react` provide a client.
 * @example const client = createClient({ baseUrl: 'https://api.example.com' })
 */
export function createClient(options: ClientOptions = {}): Client {
  const http = createHttpClient(options)
  return { ...http, socket: (path, ...rest) => openChannel(http, path, ...rest) }
}
