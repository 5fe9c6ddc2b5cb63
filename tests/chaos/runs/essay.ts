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
  /** The number of times that the reader continued, and of chunks that were retracted. */
  readonly resumed: number
  readonly retracted: number
  /** The longest time without a chunk, in ms. */
  readonly longestGap: number
}

/** Reads an essay from the first process that responds, and continues on others until it is complete. */
export async function readEssay(ports: readonly number[], input: EssayInput): Promise<ReadEssay> {
  const reader = new EssayReader(ports)
  await reader.start(input)
  return reader.result()
}

class EssayReader {
  readonly #ports: readonly number[]
  readonly #chunks: EssayChunk[] = []
  #id = ''
  #epoch = 1
  #resumed = 0
  #retracted = 0
  #last = performance.now()
  #longestGap = 0

  constructor(ports: readonly number[]) {
    this.#ports = ports
  }

  async start(input: EssayInput): Promise<void> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const body = JSON.stringify(input)
    let isWhole = await this.#read(() => this.#fetch('/agent/essay', { method: 'POST', headers, body }))
    while (!isWhole) {
      this.#resumed += 1
      const at = formatRunPosition({ epoch: this.#epoch, index: this.#chunks.length })
      isWhole = await this.#read(() => this.#fetch(`/agent/essay/runs/${this.#id}/chunks?at=${at}`, {}))
    }
  }

  result(): ReadEssay {
    const [chunks, resumed, retracted, longestGap] = [this.#chunks, this.#resumed, this.#retracted, this.#longestGap]
    return { id: this.#id, chunks, resumed, retracted, longestGap }
  }

  /** Sends a request to any process until one responds. */
  async #fetch(path: string, init: RequestInit): Promise<Response> {
    for (;;) {
      const port = this.#ports[Math.floor(Math.random() * this.#ports.length)]
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

  /** Reads a response. Returns whether the stream has ended, rather than been cut. */
  async #read(send: () => Promise<Response>): Promise<boolean> {
    const response = await send()
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    const position = parseRunPosition(response.headers.get('run-position'))
    if (position === null) throw new Error('the response has no position')
    this.#id = response.headers.get('run-id') ?? ''
    this.#epoch = position.epoch
    if (position.index > this.#chunks.length) throw new Error('the response leaves a gap')
    this.#retracted += this.#chunks.splice(position.index).length
    try {
      await this.#readLines(response)
      return true
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
    if (chunk.error !== undefined) throw new Error(JSON.stringify(chunk.error))
    const now = performance.now()
    this.#longestGap = Math.max(this.#longestGap, now - this.#last)
    this.#last = now
    this.#chunks.push(chunk)
  }
}

/** Describes the first mistake in an essay, or returns null if it is whole, in order, and each part has one author. */
export function findMistake({ chunks }: Pick<ReadEssay, 'chunks'>, input: EssayInput): string | null {
  if (chunks.length !== input.parts * input.chunks) return `${chunks.length} chunks`
  for (const [index, chunk] of chunks.entries()) {
    const part = Math.floor(index / input.chunks)
    const first = chunks[part * input.chunks]
    if (chunk.part !== part || chunk.number !== index % input.chunks) return `chunk ${index}: ${JSON.stringify(chunk)}`
    if (chunk.by !== first?.by || chunk.title !== `title ${part}`) return `mixed at ${index}: ${JSON.stringify(chunk)}`
  }
  return null
}

/** Returns the status of a run. */
export async function statusOf(port: number, id: string): Promise<string> {
  return ((await (await fetch(`http://127.0.0.1:${port}/agent/essay/runs/${id}`)).json()) as Run).status
}

/** Reads a run and its stored chunks from a process. */
export async function readStored(port: number, id: string): Promise<{ run: Run; chunks: EssayChunk[] }> {
  const path = `http://127.0.0.1:${port}/agent/essay/runs/${id}`
  const run = (await (await fetch(path)).json()) as Run
  const text = await (await fetch(`${path}/chunks`)).text()
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return { run, chunks: lines.map((line) => JSON.parse(line) as EssayChunk) }
}
