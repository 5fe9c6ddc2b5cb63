import type { QuietPage } from '@sdk/test-kit'
import { costOf, type PageCost } from '../page-cost.ts'

/** The result of receiving messages with the numbers from 1. */
export interface Outcome {
  /** The number of messages at the end. */
  readonly kept: { readonly count: number; readonly first: number; readonly last: number }
  /** The message that is shown as the latest. */
  readonly data: number
  /** The number of renders. */
  readonly commits: number
}

/** A way to receive messages; both functions run in the page. */
export interface Way {
  readonly connect: () => Promise<unknown>
  /** Requests a number of messages, and resolves when they have arrived. */
  readonly receive: (count: number) => Promise<Outcome>
}

/** A bare WebSocket that parses and stores its messages. */
export const bare: Way = {
  connect: () => {
    const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/ws/flood`)
    Object.assign(window, { socket })
    return new Promise((resolve) => socket.addEventListener('open', () => resolve(null)))
  },
  receive: (count) => {
    const socket = Reflect.get(window, 'socket') as WebSocket
    const messages: { n: number }[] = []
    socket.send(String(count))
    return new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        const message = JSON.parse(data)
        messages.push(message)
        if (messages.length < count) return
        resolve({ kept: { count, first: messages[0]?.n ?? 0, last: message.n }, data: message.n, commits: 0 })
      })
    })
  },
}

/** A component with `useWebsocket`; resolves when it shows the last message. */
export const ours: Way = {
  connect: () => {
    window.stage.show([{ name: 'a', path: '/ws/flood', hello: [1, undefined] }])
    return window.stage.shown('a', 1)
  },
  receive: async (count) => {
    const before = window.stage.commits('a')
    window.stage.send('a', count)
    await window.stage.shown('a', count)
    const { messages, data } = window.stage.see('a')
    const [first, last, latest] = [messages[0], messages.at(-1), data].map((it) => (it as { n: number }).n)
    const kept = { count: messages.length, first: first ?? 0, last: last ?? 0 }
    return { kept, data: latest ?? 0, commits: window.stage.commits('a') - before }
  },
}

/** Measures one way to receive messages, on a new page. */
export async function costOfWay(page: QuietPage, way: Way, count: number): Promise<Outcome & PageCost> {
  await page.run(way.connect, null)
  return costOf(page, () => page.run(way.receive, count))
}
