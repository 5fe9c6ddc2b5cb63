import { CommonApiError } from './api-error.ts'
import { createCutter, toSplitter, type Splitter, type SplitterOptions } from './splitter.ts'
import { createEventCutter, dataOf } from './sse.ts'

/** The framing of a stream: a JSON value per line, server-sent events, or delimited text. */
export type Framing = 'ndjson' | 'sse' | 'text'

/** The media types of the framings that carry JSON. */
export const CONTENT_TYPE = { ndjson: 'application/x-ndjson', sse: 'text/event-stream' } as const

/** Returns the framing of a response with this `Content-Type`, or null if the response is a single value. */
export function framingOf(contentType: string | null | undefined): Framing | null {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (/^application\/(x-ndjson|ndjson|jsonl)$/.test(type)) return 'ndjson'
  // A literal, because a reference to `CONTENT_TYPE` would add the entire table to every browser bundle.
  if (type === 'text/event-stream') return 'sse'
  return type.startsWith('text/') || type === 'application/octet-stream' ? 'text' : null
}

/** Encodes a value as a line of NDJSON. */
export function joinLine(value: unknown): string {
  return `${JSON.stringify(value) ?? 'null'}\n`
}

/** Options for `createChunkSplitter`. */
export interface ChunkOptions extends SplitterOptions {
  /** The delimiter to split by, instead of the framing's delimiter. */
  delimiter?: string | undefined
}

/**
 * Creates a splitter that splits a framed stream into its values. NDJSON lines are parsed as JSON. Event data and other
 * pieces are parsed if they are valid JSON, and are strings otherwise.
 */
export function createChunkSplitter(framing: Framing, options: ChunkOptions = {}): Splitter<unknown> {
  const { delimiter } = options
  if (framing === 'sse' && delimiter === undefined)
    return toSplitter(createEventCutter(options), (event) => toChunkValue(dataOf(event)))
  return toSplitter(createCutter(delimiter ?? '\n', options), (piece) => {
    if (framing !== 'ndjson') return toChunkValue(piece)
    // Empty lines in NDJSON only keep the connection alive.
    if (piece.trim() === '') return undefined
    return delimiter === undefined ? parseResponseJson(piece, 'a line of the stream') : toChunkValue(piece)
  })
}

/** Parses JSON. If it is malformed, throws `INVALID_RESPONSE` with the beginning of the received text. */
export function parseResponseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CommonApiError('INVALID_RESPONSE', `${name} is not JSON: ${text.slice(0, 80)}`, { cause })
  }
}

function toChunkValue(piece: string | undefined): unknown {
  // A failed parse takes about 10 µs, so text that cannot be JSON is not parsed. Most chunks are objects.
  if (piece === undefined || (piece[0] !== '{' && !/^\s*([[{"\d-]|(true|false|null)\s*$)/.test(piece))) return piece
  try {
    return JSON.parse(piece)
  } catch {
    return piece // plain text is a valid chunk
  }
}
