import { createHttpClient } from '@sdk/frontend'
import { createDatabase, hasPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findMistakes, readStored, type EssayInput } from './runs/essay.ts'
import { startRunServices, type RunServices } from './runs/run-services.ts'

/** The chunks that a reader shows in the end, and the number of retractions that it received. */
interface Shown {
  readonly chunks: unknown[]
  readonly retractions: number
}

const ACCEPTED = ['application/x-ndjson', 'text/event-stream']

describe.runIf(hasPostgres())('readers of a run whose process is killed', () => {
  /** The chunks that each reader has received. */
  const received: unknown[][] = []
  let services: RunServices
  beforeAll(async () => {
    services = await startRunServices(2, await createDatabase())
  })
  afterAll(() => services?.end())

  /** Reads with `client.stream`, and removes retracted chunks. */
  async function readStream(port: number, id: string, accept: string): Promise<Shown> {
    const chunks: unknown[] = []
    received.push(chunks)
    let retractions = 0
    const onRetract = (keep: number): void => {
      chunks.length = keep
      retractions += 1
    }
    const client = createHttpClient({ baseUrl: `http://127.0.0.1:${port}` })
    const options = { headers: { accept }, params: { run: id }, onRetract }
    for await (const chunk of client.stream('GET /agent/essay/runs/:run/chunks', options)) chunks.push(chunk)
    return { chunks, retractions }
  }

  /** Reads with `collect`, as `useAPI` does. Returns the chunks that it shows last. */
  async function readShown(port: number, id: string, accept: string): Promise<Shown> {
    let shown: unknown[] = []
    const seen: unknown[] = []
    received.push(seen)
    let retractions = 0
    const client = createHttpClient({ baseUrl: `http://127.0.0.1:${port}` })
    const reply = await client.send('POST /agent/essay', undefined, { run: id, headers: { accept } })
    if (reply.kind !== 'stream') throw new Error('the run does not stream')
    const onChunk = (chunk: unknown): unknown => seen.push(chunk)
    await reply.collect({ show: (chunks) => (shown = chunks), onChunk, onRetract: () => (retractions += 1) })
    return { chunks: shown, retractions }
  }

  it('show the stored chunks in the end, on the process that survives and on the one that is killed', async () => {
    // On a busy machine, it takes seconds until every reader has chunks of the second part.
    const input: EssayInput = { parts: 2, chunks: 100, pause: 30 }
    received.length = 0
    const headers = { 'content-type': 'application/json', prefer: 'respond-async' }
    const started = await fetch(`http://127.0.0.1:${services.ports[0]}/agent/essay`, {
      method: 'POST',
      headers,
      body: JSON.stringify(input),
    })
    const id = started.headers.get('run-id') ?? ''
    const isOwner = (index: number): boolean =>
      services.notes().some((note) => note.id === id && note.pid === services.process(index).pid)
    const reading = services.ports.flatMap((port) =>
      ACCEPTED.flatMap((accept) => [readStream(port, id, accept), readShown(port, id, accept)]),
    )
    await expect.poll(() => isOwner(0) || isOwner(1)).toBe(true)
    const owner = isOwner(0) ? 0 : 1
    const other = services.ports[1 - owner] ?? 0
    // Every reader has some chunks of the second part, which are retracted.
    const minimum = input.chunks + 3
    const leastReceived = (): number => Math.min(...received.map(({ length }) => length))
    await expect.poll(leastReceived).toBeGreaterThan(minimum)
    await services.kill(owner)
    const shown = await Promise.all(reading)
    const { run, chunks } = await readStored([other], id)
    expect(run.status).toBe('done')
    expect(findMistakes([{ chunks }], input)).toEqual([])
    expect(new Set(chunks.map(({ by }) => by.split(' ')[0])).size).toBe(2)
    for (const reader of shown) expect(reader).toEqual({ chunks, retractions: 1 })
  })
})
