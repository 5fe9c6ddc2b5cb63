import {
  ApiError,
  createChunkSplitter,
  framingOf,
  fromEnvelope,
  fromRetryAfter,
  isEnvelope,
  type ErrorEnvelope,
  type Splitter,
} from '@sdk/protocol'
import { toNetworkError } from './failure.ts'

/** What a route answered: one value, or chunks as they come. */
export type Reply =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'stream'; readonly chunks: AsyncGenerator<unknown, void> }

/** Options of `readReply`. */
export interface ReplyOptions {
  /** Split a streamed response by this text instead of by what its content type says. */
  delimiter?: string | undefined
  signal?: AbortSignal | null | undefined
}

/** Reads a response by its status and content type alone: no 2xx payload is ever an error, whatever its members. */
export async function readReply(response: Response, options: ReplyOptions = {}): Promise<Reply> {
  if (!response.ok) throw await readError(response, options)
  const type = response.headers.get('content-type')
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(type ?? '')
  const framing = framingOf(type) ?? (options.delimiter === undefined || isJson ? null : 'text')
  if (framing === null || response.body === null)
    return { kind: 'value', value: await readValue(response, isJson, options) }
  const splitter = createChunkSplitter(framing, { delimiter: options.delimiter })
  return { kind: 'stream', chunks: throwLastError(readChunks(response.body.getReader(), splitter, options)) }
}

async function readError(response: Response, options: ReplyOptions): Promise<ApiError> {
  const text = await readText(response, options)
  return fromEnvelope(parse(text), {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: fromRetryAfter(response.headers.get('retry-after')),
  })
}

/** JSON as its value, an empty body as null, anything else as a blob. */
async function readValue(response: Response, isJson: boolean, options: ReplyOptions): Promise<unknown> {
  if (!isJson) {
    const blob = await response.blob().catch(rethrow(options))
    return blob.size === 0 ? null : blob
  }
  const text = await readText(response, options)
  if (text === '') return null
  const value = parse(text)
  if (value === undefined) throw new ApiError('INVALID_RESPONSE', `The answer is no JSON: ${text.slice(0, 80)}`)
  return value
}

async function* readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  splitter: Splitter<unknown>,
  options: ReplyOptions,
): AsyncGenerator<unknown, void> {
  try {
    for (let isDone = false; !isDone;) {
      const read = await reader.read().catch(rethrow(options))
      isDone = read.done
      yield* read.value === undefined ? splitter.end() : splitter.push(read.value)
    }
  } finally {
    // Whoever stops early tells the server so; a stream that has ended or failed has nobody to tell.
    void reader.cancel().catch(() => {})
  }
}

/** Only the last chunk can be the error of a stream, so an envelope waits for what follows it. */
async function* throwLastError(chunks: AsyncIterable<unknown>): AsyncGenerator<unknown, void> {
  let held: ErrorEnvelope | null = null
  for await (const chunk of chunks) {
    if (held !== null) yield held
    held = isEnvelope(chunk) ? chunk : null
    if (held === null) yield chunk
  }
  if (held !== null) throw fromEnvelope(held)
}

function readText(response: Response, options: ReplyOptions): Promise<string> {
  return response.text().catch(rethrow(options))
}

function rethrow({ signal }: ReplyOptions): (cause: unknown) => never {
  return (cause) => {
    throw toNetworkError(cause, signal)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // which no JSON text stands for
  }
}
