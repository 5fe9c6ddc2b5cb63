import { type Channel, createChannel, type SocketSettings } from '@sdk/frontend'
import { WebSocket } from 'ws'
import type { Received } from './judge.ts'
import { later } from './lives.ts'
import { pace } from './pace.ts'

/** Short reconnect delays: clients lose their connections repeatedly, and must reconnect before the next loss. */
const SETTINGS: SocketSettings = { WebSocket, stableMs: 500, backoff: { max: 500 } }

/** A client that sends numbers, each until it is accepted. */
export interface Sender {
  /** The number of acknowledged messages. */
  handled(): number
  /** The responses, and the gaps. */
  readonly replies: readonly Received[]
  /** Resolves when all are sent and acknowledged. */
  readonly done: Promise<void>
  close(): void
}

/** Options for a sender. */
export interface Sending {
  /** The last number … */
  readonly last: number
  /** … the rate per second … */
  readonly perSecond: number
  /** … and the current limit. @default `last` */
  readonly upTo?: () => number
}

/** Sends numbers, and retries those that the queue rejects. */
export function startSender(port: number, { last, perSecond, upTo = () => last }: Sending): Sender {
  const channel = open(port, 'numbers')
  const replies = record(channel, null)
  let sent = 0
  const step = (): 'done' | 'wait' | 'next' => {
    if (sent === last) return 'done'
    if (sent >= upTo() || !channel.send({ n: sent + 1 })) return 'wait'
    sent++
    return 'next'
  }
  const done = pace(perSecond, step).then(() => until(() => channel.state.get().pending === 0))
  return { handled: () => sent - channel.state.get().pending, replies, done, close: () => channel.close() }
}

/** A client that receives the numbers that the server publishes. */
export interface Listener {
  readonly seen: readonly Received[]
  close(): void
}

/** Joins the room. Resolves when the client is subscribed. */
export async function startListener(port: number): Promise<Listener> {
  const channel = open(port, 'listening')
  const seen = record(channel, 'numbers')
  await new Promise((resolve) => channel.onMessage(resolve))
  return { seen, close: () => channel.close() }
}

/** Waits until a condition is true, with a timeout: the judge then reports the missing messages. */
export async function until(isSo: () => boolean, { withinMs = 60_000 } = {}): Promise<void> {
  const end = performance.now() + withinMs
  while (!isSo() && performance.now() < end) await later(10)
}

function open(port: number, name: string): Channel {
  return createChannel({ ...SETTINGS, url: `ws://127.0.0.1:${port}/ws/${name}` })
}

/** Records all numbers and the gaps of a room or of the session, in order of arrival. */
function record(channel: Channel, of: string | null): Received[] {
  const seen: Received[] = []
  channel.onMessage((message) => {
    const { n } = message as { n?: number }
    if (n !== undefined) seen.push(n)
  })
  channel.onGap(({ room }) => {
    if (room === of) seen.push('gap')
  })
  return seen
}
