import { toExplainPage, type ExplainPage } from './page.ts'

/** The codes that sockets are closed with. */
export const CLOSE_PAGES: Readonly<Record<string, ExplainPage>> = {
  1000: toExplainPage('The connection was closed normally.', 'One side closed on purpose.', 'Nothing.', `close()`),
  1001: toExplainPage(
    'The other side is going away.',
    'A page was closed, or a server is stopping.',
    'Nothing: the client reconnects.',
    `const { isConnected } = useWebsocket('/ws/chat')`,
  ),
  1012: toExplainPage(
    'The server restarts.',
    'A new version is being deployed.',
    'Nothing: the client reconnects and resumes.',
    `kill -TERM $(pidof node)`,
  ),
  1013: toExplainPage(
    'The server cannot accept this client now.',
    'It cannot authenticate the client, it is stopping, or open threw SERVICE_UNAVAILABLE.',
    'Nothing: the client retries with backoff. If it persists, check /readyz.',
    `throw new ApiError('SERVICE_UNAVAILABLE', 'not now')`,
  ),
  4000: toExplainPage(
    'The server has finished with this socket for good.',
    'A handler closed it. Its reason, if any, is the error CLOSED.',
    'Nothing: the client does not reconnect.',
    `peer.close('the game is over')`,
  ),
  4400: toExplainPage(
    'A frame does not follow the protocol.',
    'The client is not the client of this SDK, or has another version.',
    'Use useWebsocket or client.socket, of the same version as the server.',
    `client.socket('/ws/chat')`,
  ),
  4401: toExplainPage(
    'The session has ended.',
    'The user signed out, was removed, or the session expired.',
    'Sign in again: the client refreshes its token once, then stops.',
    `const { signIn } = useAuth()`,
  ),
  4403: toExplainPage(
    'The client is not allowed to use the socket.',
    'A middleware or open rejected it, disconnect was called, or the page has another origin.',
    'Read the message, which comes from the app. Otherwise check .use before the path, and cors.',
    `router.use('/ws/*', middleware)`,
  ),
  4404: toExplainPage(
    'The socket does not exist.',
    'The path is misspelt, or not in the router.',
    'sdk list shows all sockets.',
    `sdk list`,
  ),
  4408: toExplainPage(
    'The client did not send a hello frame in time.',
    'It is slow, or not a client of this SDK. A client that later misses its heartbeats is disconnected without a code (1006).',
    'Nothing: the client reconnects.',
    `useWebsocket('/ws/chat').readyState`,
  ),
  4409: toExplainPage(
    'Another connection took over this session.',
    'A tab was duplicated or restored.',
    'Nothing: the newer connection continues.',
    `useWebsocket('/ws/chat').error`,
  ),
  4413: toExplainPage(
    'A message is larger than the limit.',
    'The size of socket messages is limited.',
    'Send less, or raise limits.socket in sdk.config.ts.',
    `export default defineConfig({ limits: { socket: { … } } })`,
  ),
  4429: toExplainPage(
    'The client sends too much.',
    'More messages or connections than limits.socket allows.',
    'Send less often; the client waits before it reconnects.',
    `if (Date.now() - last > 100) send(position)`,
  ),
  4500: toExplainPage(
    'The socket could not be opened.',
    'The handler open threw.',
    'Check the log for the stack.',
    `async open(peer) { await peer.join('lobby') }`,
  ),
  4508: toExplainPage(
    'The client reads too slowly.',
    'The send buffer of the connection is full.',
    'Nothing: it reconnects and gets the missed messages that the room still has.',
    `useWebsocket('/ws/chat').messages`,
  ),
}
