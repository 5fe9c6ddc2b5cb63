import type { ClientConnection } from '../socket/accepted-client.ts'
import { END } from '../socket/connection-end.ts'
import type { Transport } from '../socket/transport.ts'

/** A connected client, as far as a drain needs it. */
export interface DrainableClient {
  readonly transport: Pick<Transport, 'close' | 'terminate'>
  readonly connection: Pick<ClientConnection, 'requestReconnect' | 'settled'>
}

/** Clients come back at most so fast, a second; all of them within `MAX_SPREAD` ms. */
const RECONNECTS_PER_SECOND = 200
const MAX_SPREAD = 10_000

/** When for so many ms no client has moved to another process, those that are left are closed. */
const HANDOVER_TIMEOUT_MS = 1_000

/** How long handlers may take, in ms. */
export const DRAIN_HANDLER_TIMEOUT_MS = 10_000

/** How long clients may take to answer the close frame, in ms. */
const CLOSE_TIMEOUT_MS = 1_000

/** How often a condition is checked, in ms. */
const POLL_INTERVAL_MS = 20

/**
 * Ends connections without losing a message: asks each client to come back at a time of its own, waits for its handlers,
 * and closes what is left. `open` has those that are still connected; clients that leave are not waited for.
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
  // A session is left to another process only after its connection has ended.
  await waitUntil(() => open.size === 0, CLOSE_TIMEOUT_MS)
}

/** Asks one client after the other, each when it is its turn to reconnect: until then it is served normally. */
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

/** Waits while clients move to other processes: these fetch their sessions from here. Ends when no more of them leave. */
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

/** Waits until a condition holds, for `ms` at most. */
export async function waitUntil(isMet: () => boolean, ms: number): Promise<void> {
  const end = performance.now() + ms
  // A turn first, for what is settled already.
  await new Promise((resolve) => setImmediate(resolve))
  for (let left = ms; left > 0 && !isMet(); left = end - performance.now())
    await new Promise((resolve) => setTimeout(resolve, Math.min(POLL_INTERVAL_MS, left)))
}
