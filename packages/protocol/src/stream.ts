import { CommonApiError } from './api-error.ts'
import { createCutter, toSplitter, type Splitter, type SplitterOptions } from './splitter.ts'
import { createEventCutter } from './sse.ts'

/** How a stream is cut into chunks: a JSON value a line, server-sent events, or text between delimiters. */
export type Framing = 'ndjson' | 'sse' | 'text'

/** The media types of the framings that carry JSON. */
export const CONTENT_TYPE = { ndjson: 'application/x-ndjson', sse: 'text/event-stream' } as const

/** How a response of this `Content-Type` is framed; null where it is one value and no stream. */
export function framingOf(contentType: string | null | undefined): Framing | null {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (/^application\/(x-ndjson|ndjson|jsonl)$/.test(type)) return 'ndjson'
  if (type === CONTENT_TYPE.sse) return 'sse'
  return type.startsWith('text/') || type === 'application/octet-stream' ? 'text' : null
}

/** A value as a line of NDJSON. */
export function joinLine(value: unknown): string {
  return `${JSON.stringify(value) ?? 'null'}\n`
}

/** Options of `createChunkSplitter`. */
export interface ChunkOptions extends SplitterOptions {
  /** Split by this text instead of by what the framing says. */
  delimiter?: string | undefined
}

/** Splits a framed stream into its values: lines as JSON, event data and other pieces as JSON if they parse, else as text. */
export function createChunkSplitter(framing: Framing, options: ChunkOptions = {}): Splitter<unknown> {
  const { delimiter } = options
  if (framing === 'sse' && delimiter === undefined) {
    const cutEvents = createEventCutter(options)
    return toSplitter((text, emit, isEnd) => cutEvents(text, ({ data }) => emit(toValue(data)), isEnd))
  }
  const cut = createCutter(delimiter ?? '\n', options)
  const toChunk = framing === 'ndjson' && delimiter === undefined ? parseLine : toValue
  // Empty lines of NDJSON only keep the connection alive.
  const isChunk = (piece: string): boolean => framing !== 'ndjson' || piece.trim() !== ''
  return toSplitter((text, emit, isEnd) => cut(text, (piece) => isChunk(piece) && emit(toChunk(piece)), isEnd))
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new CommonApiError('INVALID_RESPONSE', `a line of the stream is no JSON: ${line.slice(0, 80)}`, { cause })
  }
}

function toValue(piece: string): unknown {
  // A parse that fails costs some 10 µs: what cannot be JSON is not tried.
  if (!/^\s*([[{"\d-]|(true|false|null)\s*$)/.test(piece)) return piece
  try {
    return JSON.parse(piece)
  } catch {
    return piece // plain text is a chunk too
  }
}
