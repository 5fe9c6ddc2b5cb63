import { Agent, request, type RequestOptions } from 'node:http'

/** What one caller with many connections got. */
export interface Taken {
  readonly granted: number
  readonly refused: number
  /** Answers that were neither. */
  readonly others: readonly number[]
  /** From before the first request was sent until the last answer was there. */
  readonly seconds: number
}

/** How a caller sends its requests. */
export interface Load {
  readonly port: number
  readonly clients: number
  /** Where they come from, as a proxy tells it. */
  readonly address: string
  /** So many are sent together, each by the client whose turn it is … */
  readonly atOnce: number
  /** … every so many ms … */
  readonly everyMs: number
  /** … so many times. */
  readonly turns: number
}

/** Sends requests as they are due, whatever became of those before. */
export async function callOften({ port, clients, address, atOnce, everyMs, turns }: Load): Promise<Taken> {
  const agents = Array.from({ length: clients }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const asked: Promise<number>[] = []
  const started = performance.now()
  for (let turn = 0; turn < turns; turn += 1) {
    await until(started + turn * everyMs)
    for (let count = 0; count < atOnce; count += 1) {
      asked.push(send({ port, agent: agents[asked.length % clients], headers: { 'x-forwarded-for': address } }))
    }
  }
  const statuses = await Promise.all(asked)
  const seconds = (performance.now() - started) / 1000
  for (const agent of agents) agent.destroy()
  return {
    granted: statuses.filter((status) => status === 200).length,
    refused: statuses.filter((status) => status === 429).length,
    others: statuses.filter((status) => status !== 200 && status !== 429),
    seconds,
  }
}

function send(options: Pick<RequestOptions, 'port' | 'agent' | 'headers'>): Promise<number> {
  return new Promise((resolve) => {
    const sent = request({ ...options, host: '127.0.0.1', path: '/api/hello' }, (response) => {
      response.resume().on('close', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', () => resolve(0))
    sent.end()
  })
}

function until(at: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())))
}
