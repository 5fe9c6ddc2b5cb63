import { ApiError } from './errors.ts'
import { createEventSplitter } from './sse.ts'

/** Takes bytes as the network cuts them and gives whole pieces; the cuts never show. */
export interface Splitter<T> {
  /** The pieces that these bytes complete. */
  push(bytes: Uint8Array): T[]
  /** The last piece, which needs no delimiter. */
  end(): T[]
}

/** How a stream is cut into chunks: a JSON value a line, server-sent events, or text between delimiters. */
export type Framing = 'ndjson' | 'sse' | 'text'

/** The media types of the framings that carry JSON. */
export const CONTENT_TYPE = { ndjson: 'application/x-ndjson', sse: 'text/event-stream' } as const

/** A piece longer than this many characters is refused. */
export const MAX_PIECE: number = 64 * 1024 * 1024

const FRAMINGS: Readonly<Record<string, Framing>> = {
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/octet-stream': 'text',
  'text/event-stream': 'sse',
}

/** How a response of this `Content-Type` is framed; null where it is one value and no stream. */
export function framingOf(contentType: string | null | undefined): Framing | null {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return FRAMINGS[type] ?? (type.startsWith('text/') ? 'text' : null)
}

/** A value as a line of NDJSON. */
export function joinLine(value: unknown): string {
  return `${JSON.stringify(value) ?? 'null'}\n`
}

/** Options of `createSplitter`. */
export interface SplitterOptions {
  /** Refuse a piece of more characters. @default 64 Mi */
  maxLength?: number
}

/**
 * Splits UTF-8 bytes by a delimiter of any length, in linear time: only new text is searched,
 * and what waits for its delimiter is kept in parts and joined once.
 */
export function createSplitter(delimiter: string, options: SplitterOptions = {}): Splitter<string> {
  if (delimiter === '') throw new TypeError('delimiter is an empty string; use at least one character')
  const { maxLength = MAX_PIECE } = options
  const decoder = new TextDecoder()
  const waiting: string[] = []
  let waitingLength = 0
  // The end of the waiting text that may be the beginning of a delimiter; searched again with the next bytes.
  let tail = ''

  return {
    push: (bytes) => split(decoder.decode(bytes, { stream: true })),
    end() {
      const pieces = split(decoder.decode())
      const last = take(tail)
      return last === '' ? pieces : [...pieces, last]
    },
  }

  function split(text: string): string[] {
    const pieces: string[] = []
    const searched = tail + text
    let from = 0
    for (let at = searched.indexOf(delimiter); at !== -1; at = searched.indexOf(delimiter, from)) {
      pieces.push(take(searched.slice(from, at)))
      from = at + delimiter.length
    }
    const keep = Math.max(from, searched.length - delimiter.length + 1)
    wait(searched.slice(from, keep))
    tail = searched.slice(keep)
    return pieces
  }

  function wait(text: string): void {
    if (text === '') return
    waitingLength += text.length
    if (waitingLength > maxLength)
      throw new ApiError('CONTENT_TOO_LARGE', `a piece of the stream is longer than ${maxLength} characters`)
    waiting.push(text)
  }

  function take(rest: string): string {
    if (waitingLength === 0) return rest
    waiting.push(rest)
    const piece = waiting.join('')
    waiting.length = 0
    waitingLength = 0
    return piece
  }
}

/** Options of `createChunkSplitter`. */
export interface ChunkOptions {
  /** Split by this text instead of by what the framing says. */
  delimiter?: string | undefined
}

/** Splits a framed stream into its values: lines and event data as JSON, other pieces as JSON if they parse, else as text. */
export function createChunkSplitter(framing: Framing, options: ChunkOptions = {}): Splitter<unknown> {
  const { delimiter } = options
  if (framing === 'sse' && delimiter === undefined)
    return mapSplitter(createEventSplitter(), (event) => toValue(event.data))
  const pieces = createSplitter(delimiter ?? '\n')
  if (framing === 'text') return mapSplitter(pieces, toValue)
  return mapSplitter(pieces, delimiter === undefined ? parseLine : toValue, (piece) => piece.trim() !== '')
}

function mapSplitter<A, B>(
  inner: Splitter<A>,
  map: (piece: A) => B,
  keep: (piece: A) => boolean = () => true,
): Splitter<B> {
  const all = (pieces: A[]): B[] => pieces.filter(keep).map(map)
  return { push: (bytes) => all(inner.push(bytes)), end: () => all(inner.end()) }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new ApiError('INVALID_RESPONSE', `a line of the stream is no JSON: ${line.slice(0, 80)}`, { cause })
  }
}

function toValue(piece: string): unknown {
  try {
    return JSON.parse(piece)
  } catch {
    return piece // plain text is a chunk too
  }
}
