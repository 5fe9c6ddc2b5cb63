import { toExplainPage, type ExplainPage } from './page.ts'

/** Pages for socket close codes. */
export const CLOSE_PAGES: Readonly<Record<string, ExplainPage>> = {
  1000: toExplainPage(
    'The connection was closed normally.',
    'Either the client or the server closed it.',
    'No action needed.',
    `close()`,
  ),
  1001: toExplainPage(
    'The other side disconnected.',
    'The page was closed, or the server is stopping.',
    'No action needed: the client reconnects.',
    `const { isConnected } = useWebsocket('/ws/chat')`,
  ),
  1012: toExplainPage(
    'The server is restarting.',
    'A new version is being deployed.',
    'No action needed: the client reconnects and resumes.',
    `kill -TERM $(pidof node)`,
  ),
  1013: toExplainPage(
    'The server cannot accept this client right now.',
    'The server is shutting down or cannot authenticate clients at the moment, or the open handler threw SERVICE_UNAVAILABLE.',
    'No action needed: the client retries with backoff. If the problem persists, check /readyz.',
    `throw new ApiError('SERVICE_UNAVAILABLE', 'not now')`,
  ),
  4000: toExplainPage(
    'The server closed this socket permanently.',
    'A handler called peer.close(). If a reason was passed, the client reports it in a CLOSED error.',
    'No action needed: the client does not reconnect.',
    `peer.close('the game is over')`,
  ),
  4400: toExplainPage(
    'A frame does not follow the protocol.',
    'The client is not an SDK client, or its SDK version differs from the server’s.',
    'Use useWebsocket or client.socket, with the same SDK version as the server.',
    `client.socket('/ws/chat')`,
  ),
  4401: toExplainPage(
    'The session has ended.',
    'The user signed out or was removed, or the session expired.',
    'Sign in again: the client refreshes its token once, then stops.',
    `const { signIn } = useAuth()`,
  ),
  4403: toExplainPage(
    'The client is not allowed to use the socket.',
    'Middleware or the open handler rejected it, disconnect was called, or the page is from another origin.',
    'Read the message from the app. If there is no message, check cors and the middleware (.use) that runs before the socket.',
    `router.use('/ws/*', middleware)`,
  ),
  4404: toExplainPage(
    'The socket does not exist.',
    'The path is misspelled, or the socket is not in the router.',
    'sdk list shows all sockets.',
    `sdk list`,
  ),
  4408: toExplainPage(
    'The client did not send a hello frame in time.',
    'The client is slow, or is not an SDK client. A client that later misses heartbeats is disconnected without a close code (1006).',
    'No action needed: the client reconnects.',
    `useWebsocket('/ws/chat').readyState`,
  ),
  4409: toExplainPage(
    'Another connection took over this session.',
    'A tab was duplicated or restored.',
    'No action needed: the newer connection continues.',
    `useWebsocket('/ws/chat').error`,
  ),
  4413: toExplainPage(
    'A message is larger than the limit.',
    'limits.socket.payload sets the maximum size of a message.',
    'Send smaller messages, or raise limits.socket in sdk.config.ts.',
    `export default defineConfig({ limits: { socket: { … } } })`,
  ),
  4429: toExplainPage(
    'The client sent too many messages or opened too many connections.',
    'It exceeded a limit in limits.socket.',
    'Send messages less often. The client waits before it reconnects.',
    `if (Date.now() - last > 100) send(position)`,
  ),
  4500: toExplainPage(
    'The socket could not be opened.',
    'The open handler threw an error.',
    'Check the log for the stack trace.',
    `async open(peer) { await peer.join('lobby') }`,
  ),
  4508: toExplainPage(
    'The client reads too slowly.',
    'The connection’s send buffer is full.',
    'No action needed: the client reconnects and receives the missed messages that the room still has.',
    `useWebsocket('/ws/chat').messages`,
  ),
}
