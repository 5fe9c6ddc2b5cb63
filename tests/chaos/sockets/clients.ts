import { type Channel, createChannel, type SocketSettings } from '@sdk/frontend'
import { WebSocket } from 'ws'
import type { Heard } from './judge.ts'
import { later } from './lives.ts'
import { pace } from './pace.ts'

/** They lose their connections over and over, and are to come back in time for the next loss. */
const SETTINGS: SocketSettings = { WebSocket, stableMs: 500, backoff: { max: 500 } }

/** A client that sends numbers, each until it is taken. */
export interface Sender {
  /** How many were acknowledged. */
  handled(): number
  /** The answers, and the gaps. */
  readonly replies: readonly Heard[]
  /** Resolves when all are sent and acknowledged. */
  readonly done: Promise<void>
  close(): void
}

/** What a sender sends. */
export interface Sending {
  /** The numbers up to this one … */
  readonly last: number
  /** … so many a second … */
  readonly perSecond: number
  /** … but for now not beyond this one. @default `last` */
  readonly upTo?: () => number
}

/** Sends numbers, and those that the queue refuses again. */
export function startSender(port: number, { last, perSecond, upTo = () => last }: Sending): Sender {
  const channel = open(port, 'numbers')
  const replies = hear(channel, null)
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

/** A client that hears the numbers that the server publishes. */
export interface Listener {
  readonly seen: readonly Heard[]
  close(): void
}

/** Joins the numbers; settles when it hears them. */
export async function startListener(port: number): Promise<Listener> {
  const channel = open(port, 'listening')
  const seen = hear(channel, 'numbers')
  await new Promise((resolve) => channel.onMessage(resolve))
  return { seen, close: () => channel.close() }
}

/** Waits until it is true, but not for ever: the judge then reports what is missing. */
export async function until(isSo: () => boolean, { withinMs = 60_000 } = {}): Promise<void> {
  const end = performance.now() + withinMs
  while (!isSo() && performance.now() < end) await later(10)
}

function open(port: number, name: string): Channel {
  return createChannel({ ...SETTINGS, url: `ws://127.0.0.1:${port}/ws/${name}` })
}

/** All numbers, and the gaps of a room or of the session, in the order in which they come. */
function hear(channel: Channel, of: string | null): Heard[] {
  const seen: Heard[] = []
  channel.onMessage((message) => {
    const { n } = message as { n?: number }
    if (n !== undefined) seen.push(n)
  })
  channel.onGap(({ room }) => {
    if (room === of) seen.push('gap')
  })
  return seen
}
