import {
  decodeClientFrame,
  fromEnvelope,
  toEnvelope,
  type ApiError,
  type LiveMessage,
  type LiveRequest,
  type Page,
} from '@sdk/protocol'
import type { WebSocketClass } from '@sdk/frontend'
import { createFakeWebSockets, type FakeSocket } from './fake-web-socket.test.fixture.ts'

/** A server for live data without a network. `read` returns the current data of a route, or throws an `ApiError`. */
export interface LiveServer {
  readonly WebSocket: WebSocketClass
  readonly sockets: FakeSocket[]
  /** All requests, in order. */
  readonly requests: LiveRequest[]
  /** Whether syncs are answered. While it is false, they wait. */
  answersSyncs: boolean
  /** The time after which subscriptions are answered, in ms. */
  delayMs: number
  /** Sends the changes since the last message to all subscribers, as the server does after a commit. */
  commit(): void
  /** Answers the waiting syncs. */
  answer(): void
  /** Ends the connection without a close code. Later connections are accepted. */
  cut(): void
}

interface Subscriber {
  readonly socket: FakeSocket
  readonly request: Extract<LiveRequest, { sub: number }>
  readonly list: string
  v: number
  text: string
}

type Read = (route: string, query: Record<string, string>, params: Record<string, unknown>) => unknown

export function createLiveServer(read: Read): LiveServer {
  const { WebSocket: Fake, sockets } = createFakeWebSockets()
  const subscribers = new Map<number, Subscriber>()
  const waiting: number[] = []
  const requests: LiveRequest[] = []
  let lists = 0
  let sent = 0
  const server: LiveServer = {
    WebSocket: Served as unknown as WebSocketClass,
    sockets,
    requests,
    answersSyncs: true,
    delayMs: 0,
    commit,
    answer() {
      for (const sub of waiting.splice(0)) sync(sub)
    },
    cut() {
      subscribers.clear()
      sockets.at(-1)?.hangUp(1006)
    },
  }
  return server

  function Served(url: string, protocols: string[]): FakeSocket {
    const socket = new Fake(url, protocols) as FakeSocket
    const sendFrame = socket.send.bind(socket)
    sent = 0
    socket.send = (text) => {
      sendFrame(text)
      const frame = decodeClientFrame(text)
      if (frame?.o === 'm')
        queueMicrotask(() => {
          socket.deliver({ o: 'a', i: frame.i })
          handle(socket, frame.d as LiveRequest)
        })
    }
    return socket
  }

  function deliver(socket: FakeSocket, message: LiveMessage): void {
    if (!socket.isClosed) socket.deliver({ o: 'm', i: ++sent, d: message })
  }

  function handle(socket: FakeSocket, request: LiveRequest): void {
    requests.push(request)
    if ('end' in request) subscribers.delete(request.end)
    else if ('sync' in request) {
      waiting.push(...request.sync)
      if (server.answersSyncs) server.answer()
    } else {
      const subscriber = { socket, request, list: `g${++lists}`, v: 4, text: '' }
      if (server.delayMs > 0) setTimeout(() => subscribe(subscriber), server.delayMs)
      else subscribe(subscriber)
    }
  }

  function subscribe(subscriber: Subscriber): void {
    const { socket, request, list, v } = subscriber
    const text = readText(subscriber)
    if (text === undefined) return
    subscribers.set(request.sub, Object.assign(subscriber, { text }))
    if (request.has === toTag(text)) deliver(socket, { sub: request.sub, list, v, same: true })
    else deliver(socket, { sub: request.sub, list, v, all: JSON.parse(text), tag: toTag(text) })
  }

  function readText({ socket, request }: Subscriber): string | undefined {
    try {
      return JSON.stringify(read(request.route, (request.query ?? {}) as Record<string, string>, request.params ?? {}))
    } catch (thrown) {
      const error = thrown as ApiError
      subscribers.delete(request.sub)
      deliver(socket, { sub: request.sub, ...toEnvelope(fromEnvelope({ error })), status: error.status })
      return undefined
    }
  }

  function commit(): void {
    for (const subscriber of subscribers.values()) send(subscriber)
  }

  function send(subscriber: Subscriber): void {
    const { socket, request, list, text: before } = subscriber
    const text = readText(subscriber)
    if (text === undefined || text === before) return
    subscriber.text = text
    const [old, all] = [JSON.parse(before), JSON.parse(text)] as unknown[]
    const tag = toTag(text)
    const v = ++subscriber.v
    if (isPage(old) && isPage(all)) deliver(socket, { list, v, ...diff(old.data, all.data), page: all.pagination, tag })
    else deliver(socket, { sub: request.sub, list, v, all, tag })
  }

  function sync(sub: number): void {
    const subscriber = subscribers.get(sub)
    if (!subscriber) return
    send(subscriber)
    deliver(subscriber.socket, { synced: [sub], v: subscriber.v })
  }
}

/** Returns the tag of a text. Texts are short here, so it is the text itself. */
function toTag(text: string): string {
  return text
}

function isPage(data: unknown): data is Page<{ id: number }> {
  return typeof data === 'object' && data !== null && 'pagination' in data
}

function diff(old: { id: number }[], now: { id: number }[]): { cut: number[]; put: [number, unknown][] } {
  const before = new Map(old.map((item) => [item.id, JSON.stringify(item)]))
  const isKept = (item: { id: number }): boolean => before.get(item.id) === JSON.stringify(item)
  const cut = old.filter((item) => !now.some((each) => each.id === item.id && isKept(each))).map(({ id }) => id)
  return { cut, put: now.flatMap((item, index): [number, unknown][] => (isKept(item) ? [] : [[index, item]])) }
}
