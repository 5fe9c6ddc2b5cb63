import { Agent, request } from 'node:http'
import { setTimeout as pass } from 'node:timers/promises'
import type { Peer } from './peers.ts'

/** Calls one route over keep-alive connections. */
export interface Caller {
  /** Returns the response, or null if there was none or an error. */
  call(): Promise<string | null>
  /** Calls continuously on a number of connections; `stop` returns the number of calls and of failures. */
  keepCalling(connections: number): { stop(): Promise<{ calls: number; failed: number }> }
}

/** The timeout of a call in ms: a request that waits for a reload is not a failure. */
const TIMEOUT_MS = 30_000

/** The pause between calls in ms, since the machine has only two cores. */
const PAUSE_MS = 2

export function createCaller(port: number, { method, path }: Peer['route']): Caller {
  const agent = new Agent({ keepAlive: true })
  const call = (): Promise<string | null> =>
    new Promise((resolve) => {
      const headers = { 'content-type': 'application/json' }
      const options = { agent, port, host: '127.0.0.1', method, path, headers, timeout: TIMEOUT_MS }
      const sent = request(options, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve(response.statusCode === 200 ? text : null))
        response.on('error', () => resolve(null))
      })
      sent.on('error', () => resolve(null)).on('timeout', () => sent.destroy())
      sent.end(method === 'POST' ? '{}' : undefined)
    })

  return {
    call,
    keepCalling(connections) {
      const control = new AbortController()
      let [calls, failed] = [0, 0]
      const one = async (): Promise<void> => {
        while (!control.signal.aborted) {
          calls++
          if ((await call()) === null) failed++
          await pass(PAUSE_MS)
        }
      }
      const done = Promise.all(Array.from({ length: connections }, one))
      return {
        async stop() {
          control.abort()
          await done
          return { calls, failed }
        },
      }
    },
  }
}
