import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatRunPosition, parseRunPosition, type Run } from '@sdk/protocol'

/** The input of an essay. */
export interface EssayInput {
  readonly parts: number
  readonly chunks: number
  /** The time before each chunk, in ms. */
  readonly pause: number
}

/** A chunk of an essay. `by` differs in each execution of the step that writes the part. */
export interface EssayChunk {
  readonly part: number
  readonly number: number
  readonly by: string
  readonly title: string
}

/** An essay as a reader received it. */
export interface ReadEssay {
  readonly id: string
  readonly chunks: EssayChunk[]
  /** The number of times that the reader continued. */
  readonly resumed: number
  /** The longest time without a chunk, in ms. */
  readonly longestGap: number
}

/** Sends a request to any of the processes until one responds. */
export async function request(ports: readonly number[], path: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const port = ports[Math.floor(Math.random() * ports.length)]
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
      if (response.status < 500) return response
      await response.body?.cancel()
    } catch {
      // the process was killed
    }
    await sleep(20)
  }
}

/** Starts a run once, even if processes are killed in the meantime. */
export function startRun(ports: readonly number[], agent: string, input: object, prefer = ''): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID(), prefer }
  return request(ports, `/agent/${agent}`, { method: 'POST', headers, body: JSON.stringify(input) })
}

/** Reads an essay from the first process that responds, and continues on others until it is complete. */
async function readEssay(ports: readonly number[], input: EssayInput): Promise<ReadEssay> {
  const reader = new EssayReader(ports)
  return reader.read(await startRun(ports, 'essay', input))
}

/** Reads this many essays, with several readers at a time. */
export async function readEssays(
  ports: readonly number[],
  input: EssayInput,
  { total, readers }: { total: number; readers: number },
): Promise<ReadEssay[]> {
  const essays: ReadEssay[] = []
  let started = 0
  const read = async (): Promise<void> => {
    while (started++ < total) essays.push(await readEssay(ports, input))
  }
  await Promise.all(Array.from({ length: readers }, read))
  return essays
}

/** Returns the longest time without a chunk at any reader, in ms. */
export function longestGapOf(essays: readonly ReadEssay[]): number {
  return Math.round(Math.max(...essays.map(({ longestGap }) => longestGap)))
}

/** Reads the essay of a run from its beginning. */
export async function followEssay(ports: readonly number[], id: string): Promise<ReadEssay> {
  const reader = new EssayReader(ports)
  return reader.read(await request(ports, `/agent/essay/runs/${id}/chunks`))
}

class EssayReader {
  readonly #ports: readonly number[]
  readonly #chunks: EssayChunk[] = []
  #id = ''
  #epoch = 1
  #resumed = 0
  #last = performance.now()
  #longestGap = 0

  constructor(ports: readonly number[]) {
    this.#ports = ports
  }

  async read(first: Response): Promise<ReadEssay> {
    for (let isWhole = await this.#readResponse(first); !isWhole; this.#resumed += 1) {
      const at = formatRunPosition({ epoch: this.#epoch, index: this.#chunks.length })
      isWhole = await this.#readResponse(await request(this.#ports, `/agent/essay/runs/${this.#id}/chunks?at=${at}`))
    }
    const [id, chunks, resumed, longestGap] = [this.#id, this.#chunks, this.#resumed, this.#longestGap]
    return { id, chunks, resumed, longestGap }
  }

  /** Reads a response. Returns whether it is the end of the run, rather than of a connection. */
  async #readResponse(response: Response): Promise<boolean> {
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    const position = parseRunPosition(response.headers.get('run-position'))
    if (position === null) throw new Error('the response has no position')
    this.#id = response.headers.get('run-id') ?? ''
    this.#epoch = position.epoch
    if (position.index > this.#chunks.length) throw new Error('the response leaves a gap')
    this.#chunks.length = position.index
    try {
      await this.#readLines(response)
      // Node's fetch does not notice that a response with `Connection: close`, as of a process that shuts down, was cut.
      return response.headers.get('connection') !== 'close'
    } catch (error) {
      if (error instanceof TypeError || (error as Error).name === 'AbortError') return false
      throw error
    }
  }

  async #readLines(response: Response): Promise<void> {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.trim() !== '') this.#add(JSON.parse(line) as EssayChunk & { error?: unknown })
    }
  }

  #add(chunk: EssayChunk & { error?: unknown }): void {
    if (chunk.error !== undefined) throw new Error(`${this.#id} ${JSON.stringify(chunk.error)}`)
    const now = performance.now()
    this.#longestGap = Math.max(this.#longestGap, now - this.#last)
    this.#last = now
    this.#chunks.push(chunk)
  }
}

/** Describes the first mistake in each essay that is not whole, in order, and with one author for each part. */
export function findMistakes(essays: readonly Pick<ReadEssay, 'chunks'>[], input: EssayInput): string[] {
  return essays.flatMap((essay) => findMistake(essay, input) ?? [])
}

function findMistake({ chunks }: Pick<ReadEssay, 'chunks'>, input: EssayInput): string | null {
  if (chunks.length !== input.parts * input.chunks) return `${chunks.length} chunks`
  for (const [index, chunk] of chunks.entries()) {
    const part = Math.floor(index / input.chunks)
    const first = chunks[part * input.chunks]
    if (chunk.part !== part || chunk.number !== index % input.chunks) return `chunk ${index}: ${JSON.stringify(chunk)}`
    if (chunk.by !== first?.by || chunk.title !== `title ${part}`) return `mixed at ${index}: ${JSON.stringify(chunk)}`
  }
  return null
}

/** Reads a run and its stored chunks. */
export async function readStored(ports: readonly number[], id: string): Promise<{ run: Run; chunks: EssayChunk[] }> {
  const run = (await (await request(ports, `/agent/essay/runs/${id}`)).json()) as Run
  const text = await (await request(ports, `/agent/essay/runs/${id}/chunks`)).text()
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return { run, chunks: lines.map((line) => JSON.parse(line) as EssayChunk) }
}
