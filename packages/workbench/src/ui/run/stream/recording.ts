import type { Run, RunHeaders, RunText } from '../../../run.ts'

/** A chunk of a body as sent over the wire, or a frame of a socket. */
export interface Chunk {
  /** ms since the start of the call. */
  readonly at: number
  /** The size of the whole chunk, even if only part of it is stored. */
  readonly bytes: number
  readonly isCut: boolean
  /** The sender of a frame; only for sockets. */
  readonly from?: 'client' | 'server' | undefined
  /** The received bytes, or the recorded text. */
  readonly data: Uint8Array | RunText
}

/** A response with its times: as this page received it, or as the server recorded it. */
export interface StreamRecording {
  /** The response status; 0 until it is received. */
  readonly status: number
  readonly headers: RunHeaders
  /** ms from the call to the head of the response; null until it is received. */
  readonly headAt: number | null
  readonly chunks: readonly Chunk[]
  /** The duration of the call in ms; null while it is running. */
  readonly total: number | null
}

/** Records the response of one call, with times. */
export type ResponseRecorder = ReturnType<typeof createResponseRecorder>

/** The recording before the first call. */
export const EMPTY_RECORDING: StreamRecording = { status: 0, headers: [], headAt: null, chunks: [], total: null }

/** Creates a recorder whose call starts now. Adding is cheap, so that a fast stream is not slowed down. */
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

/** Returns the recording of a run by the server. The same run object returns the same recording object. */
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

/** Returns the text of a chunk; a character split over two chunks is a replacement character in both. */
export function chunkText(chunk: Chunk): string {
  const { data } = chunk
  return 'text' in data && data.encoding === undefined ? data.text : new TextDecoder().decode(chunkBytes(chunk))
}

/** Joins the stored bytes of chunks, up to a limit. */
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

/** Returns the size of all chunks. */
export function recordingSize({ chunks }: StreamRecording): number {
  return chunks.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** Returns a header of the response, or null. */
export function responseHeader({ headers }: StreamRecording, name: string): string | null {
  return headers.find(([known]) => known === name)?.[1] ?? null
}

/** The minimum number of chunks to detect buffering: a fast handler may send fewer at once. */
const MIN_CHUNKS = 5

/** Returns whether all chunks arrived at once, which means that they were buffered on the way. */
export function isBuffered({ chunks }: StreamRecording): boolean {
  return chunks.length >= MIN_CHUNKS && (chunks.at(-1)?.at ?? 0) - (chunks[0]?.at ?? 0) < 1
}
