import { createChunkSplitter, fromEnvelope, framingOf, isEnvelope, type Framing } from '@sdk/protocol'
import { chunkBytes, responseHeader, type StreamRecording } from './recording.ts'

/** A value that would be passed to `onChunk`. */
export interface SplitChunk {
  readonly value: unknown
  /** The time at which the value was complete, in ms since the call started. */
  readonly at: number
}

/** A stream as split by a client. */
export interface SplitResult {
  readonly chunks: readonly SplitChunk[]
  /** The error with which the call rejects after these chunks, or null if it does not reject. */
  readonly error: string | null
}

/** Returns how the client splits a response, or null if it is a single value. A delimiter cannot split JSON. */
export function detectFraming(recording: StreamRecording, delimiter?: string): Framing | null {
  const type = responseHeader(recording, 'content-type')
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(type ?? '')
  return framingOf(type) ?? (delimiter === undefined || isJson ? null : 'text')
}

/** Splits a recorded stream as the client would, by its framing or a delimiter. */
export function resplit(recording: StreamRecording, framing: Framing, delimiter?: string): SplitResult {
  const splitter = createChunkSplitter(framing, { delimiter })
  const chunks: SplitChunk[] = []
  const end = recording.total ?? recording.chunks.at(-1)?.at ?? 0
  try {
    for (const piece of recording.chunks) {
      for (const value of splitter.push(chunkBytes(piece))) chunks.push({ value, at: piece.at })
    }
    if (recording.total !== null) for (const value of splitter.end()) chunks.push({ value, at: end })
  } catch (issue) {
    return { chunks: toSplit(chunks).chunks, error: issue instanceof Error ? issue.message : String(issue) }
  }
  return toSplit(chunks)
}

/** Separates the error from the chunks. Only an envelope in the last chunk is an error. */
function toSplit(chunks: SplitChunk[]): SplitResult {
  const last = chunks.at(-1)?.value
  if (!isEnvelope(last)) return { chunks, error: null }
  return { chunks: chunks.slice(0, -1), error: fromEnvelope(last).message }
}

/** Parses a typed delimiter with the escapes `\n`, `\r`, `\t`, `\0` and `\\`. Returns undefined if it is empty. */
export function parseDelimiter(typed: string): string | undefined {
  const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', 0: '\0', '\\': '\\' }
  const text = typed.replaceAll(/\\([nrt0\\])/g, (_, name: string) => escapes[name] ?? '')
  return text === '' ? undefined : text
}
