import { CommonApiError } from './api-error.ts'
import { createCutter, toSplitter, type Splitter, type SplitterOptions } from './splitter.ts'
import { createEventCutter, dataOf } from './sse.ts'

/** The framing of a stream: a JSON value per line, server-sent events, or text between delimiters. */
export type Framing = 'ndjson' | 'sse' | 'text'

/** The media types of the framings that carry JSON. */
export const CONTENT_TYPE = { ndjson: 'application/x-ndjson', sse: 'text/event-stream' } as const

/** Returns the framing of a response with this `Content-Type`; null if it is one value, not a stream. */
export function framingOf(contentType: string | null | undefined): Framing | null {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (/^application\/(x-ndjson|ndjson|jsonl)$/.test(type)) return 'ndjson'
  // Written out: with `CONTENT_TYPE`, every browser bundle would contain the whole table.
  if (type === 'text/event-stream') return 'sse'
  return type.startsWith('text/') || type === 'application/octet-stream' ? 'text' : null
}

/** Encodes a value as a line of NDJSON. */
export function joinLine(value: unknown): string {
  return `${JSON.stringify(value) ?? 'null'}\n`
}

/** Options for `createChunkSplitter`. */
export interface ChunkOptions extends SplitterOptions {
  /** The delimiter to split by, instead of that of the framing. */
  delimiter?: string | undefined
}

/** Splits a framed stream into its values: lines as JSON, event data and other pieces as JSON if valid, or as text. */
export function createChunkSplitter(framing: Framing, options: ChunkOptions = {}): Splitter<unknown> {
  const { delimiter } = options
  if (framing === 'sse' && delimiter === undefined)
    return toSplitter(createEventCutter(options), (event) => toChunkValue(dataOf(event)))
  return toSplitter(createCutter(delimiter ?? '\n', options), (piece) => {
    if (framing !== 'ndjson') return toChunkValue(piece)
    // Empty lines of NDJSON only keep the connection alive.
    if (piece.trim() === '') return undefined
    return delimiter === undefined ? parseResponseJson(piece, 'a line of the stream') : toChunkValue(piece)
  })
}

/** Parses a JSON text; `INVALID_RESPONSE` if it is malformed, with the received text. */
export function parseResponseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CommonApiError('INVALID_RESPONSE', `${name} is not JSON: ${text.slice(0, 80)}`, { cause })
  }
}

function toChunkValue(piece: string | undefined): unknown {
  // A failing parse costs about 10 µs, so text that cannot be JSON is not parsed.
  if (piece === undefined || !/^\s*([[{"\d-]|(true|false|null)\s*$)/.test(piece)) return piece
  try {
    return JSON.parse(piece)
  } catch {
    return piece // plain text is a chunk too
  }
}
