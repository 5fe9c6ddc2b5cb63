import { CommonApiError } from './api-error.ts'

/** A splitter that converts bytes to complete pieces, regardless of how the network splits them. */
export interface Splitter<T> {
  /** Returns the pieces that these bytes complete. If there is an error, the pieces before it are returned first. */
  push(bytes: Uint8Array): Iterable<T>
  /** Returns the last piece, which does not need a delimiter. */
  end(): Iterable<T>
}

/** Options for a splitter. */
export interface SplitterOptions {
  /** The maximum number of characters in a piece. @default 64 Mi */
  maxLength?: number | undefined
}

/** The default maximum number of characters in a piece. */
export const MAX_PIECE: number = 64 * 1024 * 1024

/**
 * Creates a splitter that splits UTF-8 bytes by a delimiter of any length.
 * @example for (const line of splitter.push(bytes)) console.log(line)
 */
export function createSplitter(delimiter: string, options: SplitterOptions = {}): Splitter<string> {
  return toSplitter(createCutter(delimiter, options), (piece) => piece)
}

/** A function that receives text in parts and emits each complete piece. At the end, it also emits the last piece. */
export type Cutter = (text: string, emit: (piece: string) => void, isEnd: boolean) => void

/**
 * Creates a function that cuts text at a delimiter. It runs in linear time, since only new text is searched and engines
 * concatenate strings lazily.
 */
export function createCutter(delimiter: string, { maxLength = MAX_PIECE }: SplitterOptions): Cutter {
  if (delimiter === '') throw new TypeError('delimiter must not be empty')
  let waiting = ''
  // The end of the text, if it may be the start of a delimiter. It is searched again with the next part.
  let tail = ''

  return (part, emit, isEnd) => {
    const text = tail + part
    let start = 0
    // Not `split`, because reading the pieces from a list takes longer.
    for (let end = text.indexOf(delimiter); end !== -1; end = text.indexOf(delimiter, start)) {
      emit(join(text.slice(start, end)))
      waiting = ''
      start = end + delimiter.length
    }
    const last = text.slice(start)
    let held = isEnd ? 0 : delimiter.length - 1
    while (!last.endsWith(delimiter.slice(0, held))) held--
    tail = delimiter.slice(0, held)
    waiting = join(last.slice(0, last.length - held))
    if (isEnd && waiting !== '') emit(waiting)
  }

  function join(rest: string): string {
    if (waiting.length + rest.length > maxLength)
      throw new CommonApiError('INVALID_RESPONSE', `a stream chunk is longer than ${maxLength} characters`)
    return waiting + rest
  }
}

/** Creates a splitter that decodes UTF-8, cuts the text and reads each piece. Undefined values are omitted. */
export function toSplitter<T>(cut: Cutter, read: (piece: string) => T | undefined): Splitter<T> {
  // By default, Node 24 also drops byte order marks inside the text. All are kept here, and the first is removed below.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let hasBegun = false
  let isAscii = true
  return {
    push(bytes) {
      // Bytes that end with an ASCII character are complete text, which Node decodes several times faster if it is ASCII.
      const isComplete = isAscii && (bytes[bytes.length - 1] ?? 128) < 128
      const text = decoder.decode(bytes, { stream: !isComplete })
      isAscii &&= text.length === bytes.length
      return take(text, false)
    },
    end: () => take(decoder.decode(), true),
  }

  /** Returns the values as a list, since a generator would be 20 % slower. */
  function take(decoded: string, isEnd: boolean): Iterable<T> {
    const text = hasBegun ? decoded : decoded.replace(/^\uFEFF/, '')
    hasBegun ||= decoded !== ''
    const values: T[] = []
    const emit = (piece: string): void => {
      const value = read(piece)
      if (value !== undefined) values.push(value)
    }
    try {
      cut(text, emit, isEnd)
    } catch (error) {
      return thenThrow(values, error)
    }
    return values
  }
}

function* thenThrow<T>(values: T[], error: unknown): Iterable<T> {
  yield* values
  throw error
}
