import { request } from 'node:http'

/** Streams that run at the same time, each at the same rate. */
export interface Pace {
  readonly streams: number
  /** The number of chunks of each stream. */
  readonly count: number
  readonly perSecond: number
}

/** The time in microseconds from the creation of each chunk to its arrival here. */
export interface Arrivals {
  readonly took: readonly number[]
  readonly ms: number
}

/** Reads streams of our server over HTTP. */
export async function readStreams(port: number, { streams, count, perSecond }: Pace): Promise<Arrivals> {
  const took: number[] = []
  let first = Number.POSITIVE_INFINITY
  const one = (index: number): Promise<void> => {
    const delay = toDelay(index, { streams, perSecond })
    return readStream(port, { count, perSecond, delay }, (at) => {
      took.push(now() - at)
      first = Math.min(first, at)
    })
  }
  await Promise.all(Array.from({ length: streams }, (_, index) => one(index)))
  if (took.length !== streams * count) throw new Error(`${took.length} chunks instead of ${streams * count}`)
  return { took, ms: (now() - first) / 1000 }
}

/** Starts the chunks when all streams are open, spread over the time between two chunks. */
function toDelay(index: number, { streams, perSecond }: Omit<Pace, 'count'>): number {
  return 1000 + ((index / streams) * 1000) / perSecond
}

/** Returns the time in microseconds, from a clock that all processes of the machine share. */
function now(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

function readStream(port: number, body: object, onChunk: (at: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let rest = ''
    const headers = { 'content-type': 'application/json' }
    const sent = request({ port, host: '127.0.0.1', path: '/agent/paced', method: 'POST', headers }, (response) => {
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) if (line.trim() !== '') onChunk((JSON.parse(line) as { at: number }).at)
      })
      response.on('end', resolve).on('error', reject)
    })
    sent.on('error', reject).end(JSON.stringify(body))
  })
}
