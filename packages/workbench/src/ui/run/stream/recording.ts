import type { Run, RunHeaders, RunText } from '../../../run.ts'

/** A body chunk as sent over the wire, or a socket frame. */
export interface Chunk {
  /** The time since the call started, in ms. */
  readonly at: number
  /** The chunk's original size in bytes, even if only part of it is stored. */
  readonly bytes: number
  readonly isCut: boolean
  /** The sender of a socket frame; not set for bodies. */
  readonly from?: 'client' | 'server' | undefined
  /** The received bytes, or the recorded text. */
  readonly data: Uint8Array | RunText
}

/** A response with its times, either as received by this page or as recorded by the server. */
export interface StreamRecording {
  /** The response status, or 0 until it is received. */
  readonly status: number
  readonly headers: RunHeaders
  /** The time from the call to the head of the response in ms, or null until it is received. */
  readonly headAt: number | null
  readonly chunks: readonly Chunk[]
  /** The duration of the call in ms, or null while it is in progress. */
  readonly total: number | null
}

/** A recorder for the response to one call. */
export type ResponseRecorder = ReturnType<typeof createResponseRecorder>

/** The recording before the first call. */
export const EMPTY_RECORDING: StreamRecording = { status: 0, headers: [], headAt: null, chunks: [], total: null }

/** Creates a recorder for a call that starts now. Adding a chunk is cheap, so that a fast stream is not slowed down. */
export function createResponseRecorder(now: () => number = () => performance.now()) {
  const started = now()
  const chunks: Chunk[] = []
  let facts = EMPTY_RECORDING
  const elapsed = (): number => now() - started
  return {
    head(status: number, headers: RunHeaders): void {
      facts = { ...facts, status, headers, headAt: elapsed() }
    },
    add: (data: Uint8Array): void => void chunks.push({ at: elapsed(), bytes: data.byteLength, isCut: false, data }),
    end: (): void => void (facts = { ...facts, total: elapsed() }),
    snapshot: (): StreamRecording => ({ ...facts, chunks: [...chunks] }),
  }
}

const recordings = new WeakMap<Run, StreamRecording>()

/** Returns the server's recording of a run. The same run object always yields the same recording object. */
export function fromRun(run: Run): StreamRecording {
  const known = recordings.get(run) ?? toRecording(run)
  recordings.set(run, known)
  return known
}

function toRecording({ status, response, pieces, ms }: Run): StreamRecording {
  return {
    status,
    headers: response?.headers ?? [],
    headAt: response?.at ?? null,
    chunks: pieces.map(({ at, from, ...data }) => ({ at, bytes: data.bytes, isCut: data.isCut, from, data })),
    total: ms,
  }
}

/** Returns the stored bytes of a chunk. */
export function chunkBytes({ data }: Chunk): Uint8Array {
  if (!('text' in data)) return data
  if (data.encoding === undefined) return new TextEncoder().encode(data.text)
  return Uint8Array.from(atob(data.text), (character) => character.codePointAt(0) ?? 0)
}

/** Returns a chunk as text. A character that is split between two chunks becomes a replacement character in both. */
export function chunkText(chunk: Chunk): string {
  const { data } = chunk
  return 'text' in data && data.encoding === undefined ? data.text : new TextDecoder().decode(chunkBytes(chunk))
}

/** Joins the stored bytes of several chunks, up to a limit. */
export function joinChunks(chunks: readonly Chunk[], limit: number = Infinity): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  let length = 0
  for (const chunk of chunks) {
    if (length >= limit) break
    const part = chunkBytes(chunk)
    parts.push(part.subarray(0, limit - length))
    length += Math.min(part.byteLength, limit - length)
  }
  const whole = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.byteLength
  }
  return whole
}

/** Returns the total size of all chunks, in bytes. */
export function recordingSize({ chunks }: StreamRecording): number {
  return chunks.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** Returns a response header, or null if it is missing. */
export function responseHeader({ headers }: StreamRecording, name: string): string | null {
  return headers.find(([known]) => known === name)?.[1] ?? null
}

/** The minimum number of chunks needed to detect buffering. A fast handler can send a few chunks at once. */
const MIN_CHUNKS = 5

/** Returns whether all chunks arrived at once, which suggests that they were buffered in transit. */
export function isBuffered({ chunks }: StreamRecording): boolean {
  return chunks.length >= MIN_CHUNKS && (chunks.at(-1)?.at ?? 0) - (chunks[0]?.at ?? 0) < 1
}
