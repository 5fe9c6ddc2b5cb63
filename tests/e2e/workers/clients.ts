import { Agent, request } from 'node:http'
import { createChannel } from '@sdk/frontend'
import { expect } from 'vitest'
import { WebSocket } from 'ws'

/** A number of clients of a server. */
export interface Clients {
  readonly url: string
  readonly count: number
}

/** The results of requests. */
export interface Sent {
  readonly sent: number
  readonly failures: readonly string[]
}

/** The number of messages that a socket sent, and the messages that it received. */
export interface Echoed {
  readonly sent: number
  readonly received: readonly unknown[]
}

/** Sends requests on connections that stay open until the work is done, each client one at a time. */
export async function sendDuring({ url, count }: Clients, work: () => Promise<void>): Promise<Sent> {
  const agent = new Agent({ keepAlive: true })
  const failures: string[] = []
  const isDone = watch(work)
  let sent = 0
  const clients = Array.from({ length: count }, async () => {
    while (!isDone()) {
      sent += 1
      await sendOne(`${url}/api/process`, agent).catch((error: unknown) => failures.push(String(error)))
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })
  await Promise.all([...clients, isDone.promise])
  agent.destroy()
  return { sent, failures }
}

/** Sends numbers over sockets until the work is done. */
export async function echoDuring({ url, count }: Clients, work: () => Promise<void>): Promise<Echoed[]> {
  const isDone = watch(work)
  const sockets = Array.from({ length: count }, async () => {
    const received: unknown[] = []
    const address = `${url.replace('http', 'ws')}/ws/echo`
    const channel = createChannel({ WebSocket, stableMs: 500, backoff: { max: 500 }, url: address })
    channel.onMessage((message) => void received.push(message))
    let sent = 0
    while (!isDone()) {
      if (channel.send(sent)) sent += 1
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    await expect.poll(() => received.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(sent)
    channel.close()
    return { sent, received }
  })
  const [echoed] = await Promise.all([Promise.all(sockets), isDone.promise])
  return echoed
}

/** Starts the work. Returns a function that returns whether it is done. */
function watch(work: () => Promise<void>): (() => boolean) & { readonly promise: Promise<void> } {
  let isDone = false
  const promise = work().finally(() => (isDone = true))
  return Object.assign(() => isDone, { promise })
}

function sendOne(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent }, (response) => {
      const { statusCode } = response
      response.resume().on('end', () => (statusCode === 200 ? resolve() : reject(new Error(String(statusCode)))))
      response.on('error', reject)
    })
    call.on('error', reject).end()
  })
}
