import { createChannel } from '@sdk/frontend'
import { LIVE_SOCKET, type LiveMessage, type LiveRequest, type LiveSubscribe, type Page } from '@sdk/protocol'
import { WebSocket } from 'ws'

/** One item of a list. */
export interface Item {
  readonly id: number | string
}

/** The data of a subscription, as a client would show it. */
export interface LiveData {
  /** The body of the response: a page, a row, or undefined before the first response and after an error. */
  readonly body: unknown
  /** The status of the error, or null. */
  readonly status: number | null
  /** The number of messages that have changed the data. */
  readonly changes: number
}

/** A client of the live socket, which applies the messages as the protocol requires and checks their order. */
export interface LiveClient {
  subscribe(request: Omit<LiveSubscribe, 'sub' | 'has'>): number
  data(sub: number): LiveData
  end(sub: number): void
  /** Subscribes again after an error, which ends a subscription. */
  renew(sub: number): void
  /** Requests fresh data. Resolves when the server has sent all changes up to now. */
  sync(sub: number): Promise<void>
  /** The violations of the protocol so far. */
  readonly problems: readonly string[]
  /** Loses the connection, and cannot connect until `comeBack`. */
  goAway(): void
  comeBack(): void
  close(): void
}

interface Subscription {
  readonly request: Omit<LiveSubscribe, 'sub' | 'has'>
  list: string | null
  v: number
  body: unknown
  tag: string | undefined
  status: number | null
  changes: number
}

/** Options for `openLiveClient`. */
export interface LiveClientOptions {
  /** The URL of the server. */
  readonly url: string
  /** The token of the user. @default none */
  readonly token?: string
}

/** Opens a client. All of its subscriptions share one connection, and are renewed after a reconnect. */
export function openLiveClient({ url, token }: LiveClientOptions): LiveClient {
  const subscriptions = new Map<number, Subscription>()
  const problems: string[] = []
  const waiting: { readonly sub: number; resolve(): void }[] = []
  let last = 0
  const link = createLink()
  const channel = createChannel({
    url: `${url.replace(/^http/, 'ws')}${LIVE_SOCKET}`,
    WebSocket: link.WebSocket,
    ...(token !== undefined && { token: () => Promise.resolve(token) }),
  })
  const send = (message: LiveRequest): void => void channel.send(message)
  const renew = (sub: number, one: Subscription): void => {
    one.list = null
    send({ sub, ...one.request, ...(one.tag !== undefined && { has: one.tag }) })
  }
  let [wasOpen, opens] = [false, 0]
  channel.state.subscribe(() => {
    const isOpened = channel.state.get().status === 'open' && !wasOpen
    wasOpen = channel.state.get().status === 'open'
    if (!isOpened || ++opens === 1) return
    // Subscriptions end with their connection, even those whose response has not arrived yet and if the session continues.
    for (const [sub, one] of subscriptions) if (one.status === null) renew(sub, one)
  })
  channel.onMessage((message) => apply(message as LiveMessage))

  function apply(message: LiveMessage): void {
    if ('synced' in message) {
      for (const one of waiting.splice(0)) {
        if (message.synced.includes(one.sub)) one.resolve()
        else waiting.push(one)
      }
      return
    }
    if ('cut' in message) {
      const members = [...subscriptions].filter(([, one]) => one.list === message.list)
      for (const [sub, one] of members) {
        if (message.v <= one.v) continue // sent to another member before this one joined
        if (message.v !== one.v + 1) {
          problems.push(`list ${message.list} jumped from ${one.v} to ${message.v}`)
          renew(sub, one)
        } else change(one, message)
      }
      return
    }
    const one = subscriptions.get(message.sub)
    if (one === undefined) return
    one.changes += 1
    if ('error' in message) Object.assign(one, { list: null, body: undefined, tag: undefined, status: message.status })
    else if ('same' in message) {
      if (one.body === undefined) problems.push(`subscription ${message.sub} is the same as nothing`)
      Object.assign(one, { list: message.list, v: message.v, status: null })
    } else Object.assign(one, { list: message.list, v: message.v, body: message.all, tag: message.tag, status: null })
  }

  function change(one: Subscription, { v, cut, put, page, tag }: Extract<LiveMessage, { cut: unknown }>): void {
    const { data, pagination } = one.body as Page<Item>
    const gone = new Set(cut)
    const items = data.filter(({ id }) => !gone.has(id))
    if (data.length - items.length !== gone.size) problems.push(`a change cuts ${[...gone].join()}, not all are there`)
    for (const [index, item] of put as [number, Item][]) {
      if (items.some(({ id }) => id === item.id)) problems.push(`a change puts ${item.id}, which is already there`)
      if (index > items.length) problems.push(`a change puts ${item.id} at ${index} of ${items.length}`)
      items.splice(index, 0, item)
    }
    Object.assign(one, { v, tag, body: { data: items, pagination: page ?? pagination } })
    one.changes += 1
  }

  return {
    subscribe(request) {
      last += 1
      subscriptions.set(last, { request, list: null, v: 0, body: undefined, tag: undefined, status: null, changes: 0 })
      send({ sub: last, ...request })
      return last
    },
    data: (sub) => subscriptions.get(sub) ?? { body: undefined, status: null, changes: 0 },
    renew(sub) {
      const one = subscriptions.get(sub)
      if (one !== undefined) renew(sub, one)
    },
    end(sub) {
      subscriptions.delete(sub)
      send({ end: sub })
    },
    sync(sub) {
      return new Promise((resolve) => {
        waiting.push({ sub, resolve })
        send({ sync: [sub] })
      })
    },
    problems,
    goAway: link.goAway,
    comeBack: link.comeBack,
    close: channel.close,
  }
}

/** Creates a `WebSocket` class whose connections can be lost. */
function createLink() {
  const sockets = new Set<WebSocket>()
  let isAway = false
  class LosableSocket extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(isAway ? 'ws://127.0.0.1:1' : url, protocols)
      sockets.add(this)
      this.once('close', () => sockets.delete(this))
    }
  }
  return {
    WebSocket: LosableSocket,
    goAway() {
      isAway = true
      for (const socket of sockets) socket.terminate()
    },
    comeBack: () => void (isAway = false),
  }
}
