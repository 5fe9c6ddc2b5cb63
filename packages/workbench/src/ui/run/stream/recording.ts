import type { Run, RunHeaders, RunText } from '../../../run.ts'

/** A piece of a body as it went over the wire, or a frame of a socket. */
export interface Chunk {
  /** ms after the call began. */
  readonly at: number
  /** The size of the whole chunk, also where only a part of it is kept. */
  readonly bytes: number
  readonly isCut: boolean
  /** Only of a socket: who sent it. */
  readonly from?: 'client' | 'server' | undefined
  /** The bytes as they came, or the recorded text. */
  readonly data: Uint8Array | RunText
}

/** A response with its times: as this page received it, or as the server recorded it. */
export interface StreamRecording {
  /** 0 until there is one. */
  readonly status: number
  readonly headers: RunHeaders
  /** ms from the call to the head of the answer; null until it is there. */
  readonly headAt: number | null
  readonly chunks: readonly Chunk[]
  /** ms from the call to its end; null while it runs. */
  readonly total: number | null
}

/** Records the response of one call, with times. */
export type ResponseRecorder = ReturnType<typeof createResponseRecorder>

/** Nothing was called. */
export const EMPTY_RECORDING: StreamRecording = { status: 0, headers: [], headAt: null, chunks: [], total: null }

/** A recorder, whose call begins now; it is cheap to add to, so that a fast stream is not slowed down. */
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

/** The recording of a run by the server. The same run object gives the same recording object. */
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

/** The bytes of a chunk, as far as they are kept. */
export function chunkBytes({ data }: Chunk): Uint8Array {
  if (!('text' in data)) return data
  if (data.encoding === undefined) return new TextEncoder().encode(data.text)
  return Uint8Array.from(atob(data.text), (character) => character.codePointAt(0) ?? 0)
}

/** The text of a chunk; a character that the network cut in two is a replacement character in both. */
export function chunkText(chunk: Chunk): string {
  const { data } = chunk
  return 'text' in data && data.encoding === undefined ? data.text : new TextDecoder().decode(chunkBytes(chunk))
}

/** All of them together, as far as they are kept and not beyond a limit of bytes. */
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

/** The bytes of all chunks. */
export function recordingSize({ chunks }: StreamRecording): number {
  return chunks.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** A header of the answer; null where there is none. */
export function responseHeader({ headers }: StreamRecording, name: string): string | null {
  return headers.find(([known]) => known === name)?.[1] ?? null
}

/** Fewer chunks than this may come at once from a fast handler. */
const MIN_CHUNKS = 5

/** Did all chunks come at once, so that something between the agent and this page buffers them? */
export function isBuffered({ chunks }: StreamRecording): boolean {
  return chunks.length >= MIN_CHUNKS && (chunks.at(-1)?.at ?? 0) - (chunks[0]?.at ?? 0) < 1
}
