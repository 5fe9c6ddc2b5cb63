import { toExplainPage, type ExplainPage } from './page.ts'

/** The codes that sockets are closed with. */
export const CLOSE_PAGES: Readonly<Record<string, ExplainPage>> = {
  1000: toExplainPage('Both sides are done.', 'One side closed on purpose.', 'Nothing.', `close()`),
  1001: toExplainPage(
    'The other side goes away.',
    'A page was left, or a server is closing.',
    'Nothing: the client comes back.',
    `const { isConnected } = useWebsocket('/ws/chat')`,
  ),
  1012: toExplainPage(
    'The server restarts.',
    'A new version is being started.',
    'Nothing: the client comes back, and resumes.',
    `kill -TERM $(pidof node)`,
  ),
  1013: toExplainPage(
    'The server cannot take this client now.',
    'It cannot find out who calls, it is about to end, or open threw SERVICE_UNAVAILABLE.',
    'Nothing: the client tries again, and waits longer every time. If it lasts, look at /readyz.',
    `throw new ApiError('SERVICE_UNAVAILABLE', 'not now')`,
  ),
  4000: toExplainPage(
    'The server has finished with this socket for good.',
    'A handler closed it. Its reason, if it gave one, is the error CLOSED.',
    'Nothing: the client does not come back.',
    `peer.close('the game is over')`,
  ),
  4400: toExplainPage(
    'A frame does not follow the protocol.',
    'The client is not one of this SDK, or has another version.',
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
    'This caller may not use the socket.',
    'A middleware or open refused, disconnect sent it away, or the page is of another origin.',
    'Read the message: it is that of the app. Else look at .use in front of the path, and at cors.',
    `router.use('/ws/*', middleware)`,
  ),
  4404: toExplainPage(
    'There is no such socket.',
    'The path is misspelt, or not in the router.',
    'sdk list shows all sockets.',
    `sdk list`,
  ),
  4408: toExplainPage(
    'The client sent no hi in time.',
    'It is slow, or not a client of this SDK. One that later misses its heartbeats is cut off without a code: it sees 1006.',
    'Nothing: the client comes back.',
    `useWebsocket('/ws/chat').readyState`,
  ),
  4409: toExplainPage(
    'Another connection took over this session.',
    'A tab was duplicated, or came back.',
    'Nothing: the newer one goes on.',
    `useWebsocket('/ws/chat').error`,
  ),
  4413: toExplainPage(
    'A message is larger than the limit.',
    'Sockets take messages of limited size.',
    'Send less, or raise limits.socket in sdk.config.ts.',
    `export default defineConfig({ limits: { socket: { … } } })`,
  ),
  4429: toExplainPage(
    'The client sends too much.',
    'More messages or connections than limits.socket allows.',
    'Send less often; the client waits before it comes back.',
    `if (Date.now() - last > 100) send(position)`,
  ),
  4500: toExplainPage(
    'The socket could not be opened.',
    'The handler open threw.',
    'Look in the log: the stack is there.',
    `async open(peer) { await peer.join('lobby') }`,
  ),
  4508: toExplainPage(
    'The client reads too slowly.',
    'More waited for it than a connection may hold.',
    'Nothing: it comes back and gets what it missed, as far as the room remembers.',
    `useWebsocket('/ws/chat').messages`,
  ),
}
