import { Agent, request, type RequestOptions } from 'node:http'

/** The results of one caller with many connections. */
export interface Taken {
  readonly granted: number
  readonly refused: number
  /** Responses with another status. */
  readonly others: readonly number[]
  /** From before the first request was sent until the last response arrived. */
  readonly seconds: number
}

/** The request pattern of a caller. */
export interface Load {
  readonly port: number
  readonly clients: number
  /** The address of the caller, as a proxy forwards it. */
  readonly address: string
  /** The number of requests that are sent together, rotating over the clients, … */
  readonly atOnce: number
  /** … the interval in ms … */
  readonly everyMs: number
  /** … and the number of repetitions. */
  readonly turns: number
}

/** Sends requests on schedule, regardless of earlier ones. */
export async function callOften({ port, clients, address, atOnce, everyMs, turns }: Load): Promise<Taken> {
  const agents = Array.from({ length: clients }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const responses: Promise<number>[] = []
  const started = performance.now()
  for (let turn = 0; turn < turns; turn += 1) {
    await until(started + turn * everyMs)
    for (let count = 0; count < atOnce; count += 1) {
      responses.push(send({ port, agent: agents[responses.length % clients], headers: { 'x-forwarded-for': address } }))
    }
  }
  const statuses = await Promise.all(responses)
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
