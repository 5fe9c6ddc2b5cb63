import type { Connection } from '../socket/arrival.ts'
import { CLOSE } from '@sdk/protocol'
import type { Wire } from '../socket/transport.ts'

/** A client that was let in: what carries it, and what speaks with it. */
export interface Carried {
  readonly wire: Pick<Wire, 'close' | 'terminate'>
  readonly connection: Pick<Connection, 'bye' | 'settled'>
}

/** Clients come back at most so fast, a second; all of them within `MAX_SPREAD` ms. */
const RETURNS = 200
const MAX_SPREAD = 10_000

/** When for so many ms no client has moved to another process, those that are left are closed. */
const HANDOVER = 1_000

/** How long handlers may take, in ms. */
export const PATIENCE = 10_000

/** How long clients may take to answer the goodbye, in ms. */
const FAREWELL = 1_000

/** How often it is looked who is left, in ms. */
const SWEEP = 20

/**
 * Ends connections without losing a message: asks each client to come back at a time of its own, waits for its handlers,
 * and closes what is left. `open` has those that are still there; whoever leaves is not waited for.
 */
export async function drainSockets(open: ReadonlySet<Carried>, grace: number): Promise<void> {
  if (open.size === 0) return
  const end = performance.now() + grace - FAREWELL
  await sayBye(open, end)
  await allMoved(open, Math.min(PATIENCE, end - performance.now()))
  await allSettled(open, Math.min(PATIENCE, end - performance.now()))
  for (const { wire } of open) wire.close(CLOSE.restart, 'restart')
  await until(() => open.size === 0, FAREWELL)
  for (const { wire } of open) wire.terminate()
  // A session is left to another process only after its connection has ended.
  await until(() => open.size === 0, FAREWELL)
}

/** Asks one client after the other, each when it is its turn to come back: until then it is served as ever. */
async function sayBye(open: ReadonlySet<Carried>, end: number): Promise<void> {
  const all = [...open]
  const spread = Math.min(MAX_SPREAD, (all.length / RETURNS) * 1000)
  const started = performance.now()
  let asked = 0
  const askNext = (): boolean => {
    const due = Math.ceil((all.length * (performance.now() - started)) / spread)
    for (const carried of all.slice(asked, due)) if (open.has(carried)) carried.connection.bye(0)
    asked = Math.max(asked, due)
    return asked >= all.length || open.size === 0
  }
  await until(askNext, end - started)
}

/**
 * Waits while clients move to other processes: these fetch their sessions from here. Ends when no more of them leave.
 */
async function allMoved(open: ReadonlySet<Carried>, ms: number): Promise<void> {
  let [left, at] = [open.size, performance.now()]
  const isOver = (): boolean => {
    if (open.size < left) [left, at] = [open.size, performance.now()]
    return left === 0 || performance.now() - at > HANDOVER
  }
  await until(isOver, ms)
}

async function allSettled(open: ReadonlySet<Carried>, ms: number): Promise<void> {
  const busy = new Set(open)
  for (const carried of open) {
    const done = (): unknown => busy.delete(carried)
    carried.connection.settled().then(done, done)
  }
  await until(() => [...busy].every((carried) => !open.has(carried)), ms)
}

/** Waits until something is so, though not longer than so many ms. */
export async function until(isSo: () => boolean, ms: number): Promise<void> {
  const end = performance.now() + ms
  // A turn first, for what is settled already.
  await new Promise((resolve) => setImmediate(resolve))
  for (let left = ms; left > 0 && !isSo(); left = end - performance.now())
    await new Promise((resolve) => setTimeout(resolve, Math.min(SWEEP, left)))
}
