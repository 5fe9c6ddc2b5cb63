import { createChunkSplitter, fromEnvelope, framingOf, isEnvelope, type Framing } from '@sdk/protocol'
import { chunkBytes, responseHeader, type StreamRecording } from './recording.ts'

/** A value that `onChunk` would be called with. */
export interface SplitChunk {
  readonly value: unknown
  /** ms after the call began: when the piece came that completed it. */
  readonly at: number
}

/** A stream as a client splits it. */
export interface SplitResult {
  readonly chunks: readonly SplitChunk[]
  /** The error that the call rejects with after these chunks; null: none. */
  readonly error: string | null
}

/** How the client reads this answer: null where it is one value, unless a delimiter is given. */
export function detectFraming(recording: StreamRecording, delimiter?: string): Framing | null {
  const type = responseHeader(recording, 'content-type')
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(type ?? '')
  return framingOf(type) ?? (delimiter === undefined || isJson ? null : 'text')
}

/** Splits a recorded stream as the client would, by its framing or by a delimiter. */
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

/** An envelope is an error only as the last chunk. The client holds it back until it knows that. */
function toSplit(chunks: SplitChunk[]): SplitResult {
  const last = chunks.at(-1)?.value
  if (!isEnvelope(last)) return { chunks, error: null }
  return { chunks: chunks.slice(0, -1), error: fromEnvelope(last).message }
}

/** A delimiter as it is typed, with `\n`, `\r`, `\t`, `\0` and `\\` written out; empty: none. */
export function parseDelimiter(typed: string): string | undefined {
  const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', 0: '\0', '\\': '\\' }
  const text = typed.replaceAll(/\\([nrt0\\])/g, (_, name: string) => escapes[name] ?? '')
  return text === '' ? undefined : text
}
