import { LIVE_SOCKET, type ApiError, type LiveMessage, type LiveRequest } from '@sdk/protocol'
import { systemClock, type Clock } from '../clock.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { SharedChannel } from '../socket/channel-refcount.ts'
import { openChannel } from '../socket/open-channel.ts'
import { isTerminal, type SocketStatus } from '../socket/reconnecting-socket.ts'
import { socketError } from '../socket/socket-error.ts'
import {
  createLiveEntry,
  endEntry,
  pauseEntry,
  receive,
  setLive,
  startEntry,
  syncSoon,
  type LiveEntry,
  type LiveEvents,
  type LiveTarget,
} from './live-entry.ts'

/** A subscription to the data of a GET route. */
export interface LiveSubscription {
  /**
   * Requests fresh data. The promise resolves when the data contains all changes made before the call, or when the
   * subscription has ended.
   */
  sync(): Promise<void>
  /** Ends the subscription. The connection closes soon after the last subscription has ended. */
  end(): void
}

/** The maximum time in ms for which subscriptions wait for requests. The server may be unable to handle them. */
const FLUSH_MS = 10_000

type Subscribe = (target: LiveTarget, events: LiveEvents) => LiveSubscription

const connections = new WeakMap<HttpClient, Subscribe>()

/** Subscribes to the data of a GET route. All subscriptions of a client share one connection. */
export function subscribeLive(client: HttpClient, target: LiveTarget, events: LiveEvents): LiveSubscription {
  const subscribe = connections.get(client) ?? createLiveConnection(client)
  connections.set(client, subscribe)
  return subscribe(target, events)
}

function createLiveConnection(client: HttpClient): Subscribe {
  const { clock = systemClock } = client.options
  const entries = new Set<LiveEntry>()
  let channel: SharedChannel<LiveRequest, LiveMessage> | undefined
  let isConnected = false
  /** The number of connections, and of their losses. */
  let starts = 0
  const send = (request: LiveRequest): unknown => isConnected && channel?.send(request)

  return (target, events) => {
    const entry = createLiveEntry(target, events, { clock, send })
    entries.add(entry)
    if (!channel) open()
    startEntry(entry)
    return {
      sync: () => syncSoon(entry),
      end() {
        if (entry.sub > 0) send({ end: entry.sub })
        endEntry(entry)
        entries.delete(entry)
        if (entries.size > 0) return
        const released = channel
        channel = undefined
        released?.release()
      },
    }
  }

  function open(): void {
    const opened = openChannel(client, LIVE_SOCKET, { onReady: () => void startAll() }) as NonNullable<typeof channel>
    let { status } = opened.state.get()
    channel = opened
    // A connection that was released a moment ago may still be open.
    isConnected = status === 'open'
    opened.onMessage((message) => receiveAll(entries, message, send))
    opened.state.subscribe(() => {
      const { status: next, error } = opened.state.get()
      if (next !== status && channel === opened) onStatus((status = next), error)
    })
  }

  /** Sends all subscriptions. A new connection has none, even if its session was resumed. */
  async function startAll(): Promise<void> {
    const number = ++starts
    if (client.flush) {
      for (const entry of entries) pauseEntry(entry)
      isConnected = false
      await Promise.race([client.flush(), sleep(clock, FLUSH_MS)])
      if (number !== starts) return
    }
    isConnected = true
    for (const entry of entries) startEntry(entry)
  }

  function onStatus(status: SocketStatus, error: ApiError | null): void {
    // A page that is offline may still have its connection.
    if (status === 'open' && isConnected && client.flush) void startAll()
    if (status !== 'open' && status !== 'offline') {
      isConnected = false
      starts++
    }
    if (isTerminal(status)) channel = undefined
    for (const entry of entries)
      if (channel) setLive(entry, status === 'open' && entry.list !== undefined)
      else endEntry(entry, error ?? socketError(401, 'the user signed out or changed'))
    if (!channel) entries.clear()
  }
}

function receiveAll(entries: Iterable<LiveEntry>, message: LiveMessage, send: LiveEntry['send']): void {
  let isKnown = false
  for (const entry of entries) isKnown = receive(entry, message) || isKnown
  // The subscription has ended in the meantime, or was sent twice because the connection was lost.
  if (!isKnown && 'list' in message && 'sub' in message) send({ end: message.sub })
}

function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}
