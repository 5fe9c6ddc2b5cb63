import { ApiError } from './errors.ts'
import { createSplitter, gather, type Splitter, type SplitterOptions } from './splitter.ts'
import { createEventSplitter } from './sse.ts'

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
  if (framing === 'sse' && delimiter === undefined)
    return mapSplitter(createEventSplitter(options), (event) => toValue(event.data))
  const pieces = createSplitter(delimiter ?? '\n', options)
  if (framing !== 'ndjson') return mapSplitter(pieces, toValue)
  return mapSplitter(pieces, delimiter === undefined ? parseLine : toValue, (piece) => piece.trim() !== '')
}

function mapSplitter<A, B>(
  inner: Splitter<A>,
  map: (piece: A) => B,
  keep: (piece: A) => boolean = () => true,
): Splitter<B> {
  return { push: (bytes) => each(inner.push(bytes)), end: () => each(inner.end()) }

  function each(pieces: Iterable<A>): Iterable<B> {
    return gather((values) => {
      for (const piece of pieces) if (keep(piece)) values.push(map(piece))
    })
  }
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
