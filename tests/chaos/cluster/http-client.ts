import { Agent, request } from 'node:http'

/** The results of the requests. */
export interface RequestResults {
  /** By status; requests without a response are 0. */
  readonly statuses: ReadonlyMap<number, number>
  /** The number of retries. */
  readonly repeated: number
  stop(): Promise<void>
}

/** The maximum number of attempts. */
const ATTEMPTS = 20

/** Sends requests at a rate until it is stopped. Retries each request that fails or gets `Retry-After`. */
export function keepRequesting(port: number, perSecond: number): RequestResults {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  const statuses = new Map<number, number>()
  const running = new Set<Promise<void>>()
  const results = { statuses, repeated: 0, stop }
  const timer = setInterval(() => {
    const pending = sendWithRetries().then((status) => void statuses.set(status, (statuses.get(status) ?? 0) + 1))
    running.add(pending)
    void pending.then(() => running.delete(pending))
  }, 1000 / perSecond)
  return results

  async function sendWithRetries(): Promise<number> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const { status, retryAfter } = await send()
      if (status !== 0 && retryAfter === 0) return status
      results.repeated += 1
      await new Promise((resolve) => setTimeout(resolve, Math.max(50, retryAfter * 1000)))
    }
    return 0
  }

  function send(): Promise<{ status: number; retryAfter: number }> {
    return new Promise((resolve) => {
      const sent = request({ port, host: '127.0.0.1', path: '/api/hello', agent, timeout: 5_000 }, (response) => {
        const { statusCode = 0, headers } = response
        response
          .resume()
          .on('close', () => resolve({ status: statusCode, retryAfter: Number(headers['retry-after'] ?? 0) }))
      })
      sent.on('timeout', () => sent.destroy())
      sent.on('error', () => resolve({ status: 0, retryAfter: 0 }))
      sent.end()
    })
  }

  async function stop(): Promise<void> {
    clearInterval(timer)
    await Promise.all(running)
    agent.destroy()
  }
}
