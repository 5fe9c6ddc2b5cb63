import {
  fromEnvelope,
  type ApiError,
  type LiveChange,
  type LiveMessage,
  type LiveRequest,
  type LiveSame,
  type LiveSnapshot,
  type LiveSubscribe,
  type Page,
} from '@sdk/protocol'
import type { Clock } from '../clock.ts'
import { buildUrl, type UrlOptions } from '../http/url.ts'

/** The GET route of a subscription, with its parameters. */
export interface LiveTarget extends UrlOptions {
  readonly route: string
}

/** The events of a subscription. */
export interface LiveEvents {
  /** Called with the entire data after every change. The data must not be modified. */
  onData(data: unknown): void
  /** Called when the subscription ends with an error. The data must no longer be shown. */
  onError(error: ApiError): void
  /** Called when the connection is lost, and when the data is current again. */
  onLive?(isLive: boolean): void
}

/** The state of a subscription. */
export interface LiveEntry extends LiveEvents {
  readonly request: Omit<LiveSubscribe, 'sub' | 'has'>
  readonly clock: Clock
  /** Sends a message, unless there is no connection. */
  readonly send: (request: LiveRequest) => unknown
  /** The number of the subscription. It changes each time the subscription is sent, and is 0 after the end. */
  sub: number
  /** The id of the list, or undefined until the server has responded. */
  list?: string | undefined
  version?: number
  data?: unknown
  /** The tag of the data. */
  has?: string
  isLive: boolean
  /** The callbacks for the next sync, and for the one in progress. */
  readonly waiting: (() => void)[]
  readonly syncing: (() => void)[]
}

/** The minimum time in ms after which a subscription is sent again if the server was not available. */
const RESUBSCRIBE_MS = 1000

/** The same if the connection has too many subscriptions. Only the end of another one helps. */
const FULL_MS = 10_000

let lastNumber = 0

/** Creates a subscription that is not sent yet. */
export function createLiveEntry(
  { route, params, query }: LiveTarget,
  events: LiveEvents,
  connection: Pick<LiveEntry, 'clock' | 'send'>,
): LiveEntry {
  // Each query parameter has the same text as in a URL.
  const search = Object.fromEntries(new URLSearchParams(buildUrl('', '', { query })))
  const request = { route, ...(params && { params }), query: search }
  return { ...connection, ...events, request, sub: 0, isLive: false, waiting: [], syncing: [] }
}

/** Sends a subscription. Each time, it has a new number. */
export function startEntry(entry: LiveEntry): void {
  entry.sub = ++lastNumber
  entry.list = undefined
  entry.waiting.push(...entry.syncing.splice(0))
  entry.send({ sub: entry.sub, ...entry.request, ...(entry.has && { has: entry.has }) })
}

/** Ends a subscription until it is started again. Its data is kept, and changes are ignored. */
export function pauseEntry(entry: LiveEntry): void {
  entry.send({ end: entry.sub })
  entry.list = undefined
  setLive(entry, false)
}

/** Handles a message for a subscription. Returns false if it is for another one. */
export function receive(entry: LiveEntry, message: LiveMessage): boolean {
  if ('synced' in message) {
    if (message.synced.includes(entry.sub)) for (const resolve of entry.syncing.splice(0)) resolve()
    syncEntry(entry)
  } else if (!('sub' in message)) applyChange(entry, message)
  else if (message.sub !== entry.sub) return false
  else if (!('error' in message)) accept(entry, message)
  else if (message.status === 503) retryLater(entry, RESUBSCRIBE_MS)
  else if (message.status === 429) retryLater(entry, FULL_MS)
  else endEntry(entry, fromEnvelope(message, { status: message.status }))
  return true
}

function accept(entry: LiveEntry, message: LiveSnapshot | LiveSame): void {
  entry.list = message.list
  entry.version = message.v
  if ('all' in message) Object.assign(entry, { data: message.all, has: message.tag })
  setLive(entry, true)
  entry.onData(entry.data)
  syncEntry(entry)
}

/** Applies a change to a page. Unchanged items keep their identity. */
function applyChange(entry: LiveEntry, { list, v, cut, put, page, tag }: LiveChange): void {
  const { version = v, sub } = entry
  // The server may send a change again after a reconnect.
  if (list !== entry.list || v <= version) return
  if (v > version + 1) {
    entry.send({ end: sub })
    return startEntry(entry)
  }
  const { data, pagination } = entry.data as Page<{ id: number | string }>
  const removed = new Set(cut)
  const items: unknown[] = data.filter(({ id }) => !removed.has(id))
  for (const [index, item] of put) items.splice(index, 0, item)
  Object.assign(entry, { version: v, has: tag, data: { data: items, pagination: page ?? pagination } })
  entry.onData(entry.data)
}

/** Keeps the data, and sends the subscription again when the server may accept it. */
function retryLater(entry: LiveEntry, delay: number): void {
  const { sub } = entry
  entry.list = undefined
  setLive(entry, false)
  // The random part spreads the clients of a server that restarts.
  entry.clock.after(delay * (1 + Math.random()), () => entry.sub === sub && startEntry(entry))
}

/** Records whether the data is current. */
export function setLive(entry: LiveEntry, isLive: boolean): void {
  if (entry.isLive !== isLive) entry.onLive?.((entry.isLive = isLive))
}

/** Sends a sync, unless the subscription has ended. Resolves when all changes have arrived. */
export function syncSoon(entry: LiveEntry): Promise<void> {
  return new Promise((resolve) => {
    if (entry.sub === 0) return resolve()
    entry.waiting.push(resolve)
    // Calls in the same task share one sync.
    queueMicrotask(() => syncEntry(entry))
  })
}

/** Sends a sync if a caller waits, unless one is in progress: later calls need a sync that starts later. */
function syncEntry(entry: LiveEntry): void {
  if (!entry.list || entry.syncing.length || !entry.waiting.length) return
  entry.syncing.push(...entry.waiting.splice(0))
  entry.send({ sync: [entry.sub] })
}

/** Ends a subscription. With an error, its data is removed. */
export function endEntry(entry: LiveEntry, error?: ApiError): void {
  entry.sub = 0
  entry.list = undefined
  if (error) {
    setLive(entry, false)
    entry.onError(error)
  }
  for (const resolve of [...entry.syncing.splice(0), ...entry.waiting.splice(0)]) resolve()
}
