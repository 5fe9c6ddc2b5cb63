import { Agent, request } from 'node:http'

/** The results of the requests. */
export interface Answers {
  /** By status; requests without a response are 0. */
  readonly statuses: ReadonlyMap<number, number>
  /** The number of retries. */
  readonly repeated: number
  stop(): Promise<void>
}

/** The maximum number of attempts. */
const ATTEMPTS = 20

/** Sends requests at a rate until it is stopped. Retries each request that fails or gets `Retry-After`. */
export function keepAsking(port: number, perSecond: number): Answers {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  const statuses = new Map<number, number>()
  const under = new Set<Promise<void>>()
  const answers = { statuses, repeated: 0, stop }
  const timer = setInterval(() => {
    const asking = ask().then((status) => void statuses.set(status, (statuses.get(status) ?? 0) + 1))
    under.add(asking)
    void asking.then(() => under.delete(asking))
  }, 1000 / perSecond)
  return answers

  async function ask(): Promise<number> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const { status, retryAfter } = await send()
      if (status !== 0 && retryAfter === 0) return status
      answers.repeated += 1
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
    await Promise.all(under)
    agent.destroy()
  }
}
