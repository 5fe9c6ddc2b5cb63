import {
  LIVE_SOCKET,
  type LiveChange,
  type LiveError,
  type LiveMessage,
  type LiveSubscribe,
  type Pagination,
} from '@sdk/protocol'
import type { TestApp, TestSocket } from '../testing.ts'

interface Page {
  data: { id: number }[]
  pagination: Pagination
}

/** A subscription of a test client, with the data as the messages describe it. */
export class LiveData {
  readonly message: LiveSubscribe
  data: unknown
  error: LiveError | null = null
  list = ''
  tag = ''
  v = 0
  /** The number of snapshots, `same` messages and changes. */
  readonly counts = { all: 0, same: 0, changes: 0 }
  /** Every text that the client received for this subscription. */
  readonly texts: string[] = []

  constructor(message: LiveSubscribe) {
    this.message = message
  }

  change({ v, cut, put, page, tag }: LiveChange): void {
    if (v !== this.v + 1) throw new Error(`version ${v} does not follow ${this.v}`)
    const { data, pagination } = this.data as Page
    const next = data.filter(({ id }) => !cut.includes(id))
    for (const [index, item] of put) next.splice(index, 0, item as { id: number })
    this.data = { data: next, pagination: page ?? pagination }
    this.v = v
    this.tag = tag
    this.counts.changes += 1
  }
}

/** A test client for live data. It checks that versions are complete. */
export class LiveClient {
  readonly #socket: TestSocket
  readonly #byNumber = new Map<number, LiveData>()
  readonly #waiting = new Set<() => void>()
  readonly #synced = new Map<number, number>()
  #next = 0
  fault: unknown = null

  constructor(socket: TestSocket) {
    this.#socket = socket
    void this.#read()
  }

  static async open(app: Pick<TestApp, 'socket'>): Promise<LiveClient> {
    return new LiveClient(await app.socket(LIVE_SOCKET))
  }

  /** Subscribes, and waits for the first response. */
  async subscribe(
    route: string,
    options: Omit<LiveSubscribe, 'sub' | 'route'> = {},
    before?: Pick<LiveData, 'data' | 'tag'>,
  ): Promise<LiveData> {
    const has = before === undefined ? {} : { has: before.tag }
    const message = { sub: (this.#next += 1), route, ...options, ...has }
    const live = Object.assign(new LiveData(message), before)
    this.#byNumber.set(message.sub, live)
    this.#socket.send(message)
    await this.until(() => live.error !== null || live.v > 0)
    return live
  }

  async sync(...lists: LiveData[]): Promise<void> {
    const subs = lists.map(({ message }) => message.sub)
    const before = subs.map((sub) => this.#synced.get(sub) ?? 0)
    this.#socket.send({ sync: subs })
    await this.until(() => subs.every((sub, at) => (this.#synced.get(sub) ?? 0) > (before[at] ?? 0)))
  }

  end({ message }: LiveData): void {
    this.#byNumber.delete(message.sub)
    this.#socket.send({ end: message.sub })
  }

  send(message: unknown): void {
    this.#socket.send(message)
  }

  /** Resolves when the condition is true, which is tested after each message. */
  async until(isDone: () => boolean, timeoutMs = 10_000): Promise<void> {
    const end = Date.now() + timeoutMs
    while (!isDone()) {
      if (this.fault !== null) throw this.fault as Error
      if (Date.now() > end) throw new Error(`the expected message did not arrive within ${timeoutMs} ms`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 50)
        const done = (): void => (clearTimeout(timer), resolve())
        this.#waiting.add(done)
      })
      this.#waiting.clear()
    }
  }

  close(): Promise<void> {
    return this.#socket.close()
  }

  async #read(): Promise<void> {
    try {
      for (;;) {
        this.#take((await this.#socket.next(undefined, { timeoutMs: 600_000 })) as LiveMessage)
        for (const wake of this.#waiting) wake()
      }
    } catch (error) {
      this.fault = error
      for (const wake of this.#waiting) wake()
    }
  }

  #take(message: LiveMessage): void {
    const text = JSON.stringify(message)
    if ('synced' in message) {
      for (const sub of message.synced) this.#synced.set(sub, (this.#synced.get(sub) ?? 0) + 1)
      return
    }
    if (!('sub' in message)) {
      for (const live of this.#byNumber.values()) {
        if (live.list !== message.list) continue
        live.texts.push(text)
        live.change(message)
      }
      return
    }
    const live = this.#byNumber.get(message.sub)
    if (live === undefined) return
    live.texts.push(text)
    if ('error' in message) {
      live.error = message
      live.data = undefined
      live.list = ''
      return
    }
    live.list = message.list
    live.v = message.v
    if ('same' in message) live.counts.same += 1
    else {
      live.counts.all += 1
      live.data = message.all
      live.tag = message.tag
    }
  }
}
