import type { ClientConnection } from '../socket/accepted-client.ts'
import { END } from '../socket/connection-end.ts'
import type { Transport } from '../socket/transport.ts'

/** The parts of a connected client that are needed to drain it. */
export interface DrainableClient {
  readonly transport: Pick<Transport, 'close' | 'terminate'>
  readonly connection: Pick<ClientConnection, 'requestReconnect' | 'settled'>
}

/**
 * The number of clients asked to reconnect per second. The rate increases if asking all clients would take longer than
 * `MAX_SPREAD` ms.
 */
const RECONNECTS_PER_SECOND = 200
const MAX_SPREAD = 10_000

/** How long to wait for the next client to move to another process, in ms. Remaining connections are then closed. */
const HANDOVER_TIMEOUT_MS = 1_000

/** How long handlers may take to finish, in ms. */
export const DRAIN_HANDLER_TIMEOUT_MS = 10_000

/** How long clients may take to reply to the close frame, in ms. */
const CLOSE_TIMEOUT_MS = 1_000

/** How often a condition is checked, in ms. */
const POLL_INTERVAL_MS = 20

/**
 * Closes connections without losing a message: asks the clients to reconnect, waits for their handlers, and closes the
 * remaining connections. Clients must be removed from `open` when they disconnect.
 */
export async function drainSockets(open: ReadonlySet<DrainableClient>, grace: number): Promise<void> {
  if (open.size === 0) return
  const end = performance.now() + grace - CLOSE_TIMEOUT_MS
  await requestReconnects(open, end)
  await waitForMigrations(open, Math.min(DRAIN_HANDLER_TIMEOUT_MS, end - performance.now()))
  await waitForHandlers(open, Math.min(DRAIN_HANDLER_TIMEOUT_MS, end - performance.now()))
  for (const { transport } of open) transport.close(END.restart.code, END.restart.reason)
  await waitUntil(() => open.size === 0, CLOSE_TIMEOUT_MS)
  for (const { transport } of open) transport.terminate()
  // A session is handed over to another process only after its connection has closed.
  await waitUntil(() => open.size === 0, CLOSE_TIMEOUT_MS)
}

/** Asks the clients to reconnect, one after another. Clients that have not been asked yet are served normally. */
async function requestReconnects(open: ReadonlySet<DrainableClient>, end: number): Promise<void> {
  const all = [...open]
  const spread = Math.min(MAX_SPREAD, (all.length / RECONNECTS_PER_SECOND) * 1000)
  const started = performance.now()
  let asked = 0
  const askNext = (): boolean => {
    const due = Math.ceil((all.length * (performance.now() - started)) / spread)
    for (const client of all.slice(asked, due)) if (open.has(client)) client.connection.requestReconnect(0)
    asked = Math.max(asked, due)
    return asked >= all.length || open.size === 0
  }
  await waitUntil(askNext, end - started)
}

/** Waits until no more clients move to other processes, which fetch the clients' sessions from this process. */
async function waitForMigrations(open: ReadonlySet<DrainableClient>, ms: number): Promise<void> {
  let [left, at] = [open.size, performance.now()]
  const isOver = (): boolean => {
    if (open.size < left) [left, at] = [open.size, performance.now()]
    return left === 0 || performance.now() - at > HANDOVER_TIMEOUT_MS
  }
  await waitUntil(isOver, ms)
}

async function waitForHandlers(open: ReadonlySet<DrainableClient>, ms: number): Promise<void> {
  const busy = new Set(open)
  for (const client of open) {
    const done = (): unknown => busy.delete(client)
    client.connection.settled().then(done, done)
  }
  await waitUntil(() => [...busy].every((client) => !open.has(client)), ms)
}

/** Waits until a condition is met, for at most `ms`. */
export async function waitUntil(isMet: () => boolean, ms: number): Promise<void> {
  const end = performance.now() + ms
  // Let the callbacks of settled promises run first.
  await new Promise((resolve) => setTimeout(resolve, 0))
  for (let left = ms; left > 0 && !isMet(); left = end - performance.now())
    await new Promise((resolve) => setTimeout(resolve, Math.min(POLL_INTERVAL_MS, left)))
}
