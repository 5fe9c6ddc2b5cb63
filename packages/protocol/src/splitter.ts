import { ApiError } from './errors.ts'

/** Takes a stream as the network cuts it and gives whole pieces; the cuts never show. */
export interface Splitter<T, Source = Uint8Array> {
  /** The pieces that this part of the stream completes. A fault is thrown in its place, after the pieces before it. */
  push(part: Source): Iterable<T>
  /** The last piece, which needs no delimiter. */
  end(): Iterable<T>
}

/** What bounds a splitter. */
export interface SplitterOptions {
  /** Refuse a piece of more characters. @default 64 Mi */
  maxLength?: number | undefined
}

/** A piece longer than this many characters is refused. */
export const MAX_PIECE: number = 64 * 1024 * 1024

/**
 * Splits UTF-8 bytes by a delimiter of any length.
 * @example for (const line of splitter.push(bytes)) console.log(line)
 */
export function createSplitter(delimiter: string, options: SplitterOptions = {}): Splitter<string> {
  return fromBytes(createTextSplitter(delimiter, options))
}

/**
 * Splits text by a delimiter, in linear time: only new text is searched, and what waits for
 * its delimiter is kept in parts and joined once.
 */
export function createTextSplitter(delimiter: string, options: SplitterOptions = {}): Splitter<string, string> {
  if (delimiter === '') throw new TypeError('delimiter is an empty string; use at least one character')
  const { maxLength = MAX_PIECE } = options
  let waiting: string[] = []
  let length = 0
  // The end of the text that may be the beginning of a delimiter; searched again with the next part.
  let tail = ''

  return {
    push: (part) => gather((pieces) => split(tail + part, pieces)),
    end: () =>
      gather((pieces) => {
        const last = take(tail)
        tail = ''
        if (last !== '') pieces.push(last)
      }),
  }

  function split(text: string, pieces: string[]): void {
    let from = 0
    for (let at = text.indexOf(delimiter); at !== -1; at = text.indexOf(delimiter, from)) {
      pieces.push(take(text.slice(from, at)))
      from = at + delimiter.length
    }
    const keep = Math.max(from, text.length - delimiter.length + 1)
    tail = text.slice(keep)
    wait(text.slice(from, keep))
  }

  function wait(text: string): void {
    assertLength(length + text.length, maxLength)
    if (text === '') return
    waiting.push(text)
    length += text.length
  }

  function take(rest: string): string {
    assertLength(length + rest.length, maxLength)
    if (length === 0) return rest
    const piece = waiting.join('') + rest
    waiting = []
    length = 0
    return piece
  }
}

/** Refuses a piece that is too long to be kept in memory. */
export function assertLength(length: number, maxLength: number = MAX_PIECE): void {
  if (length > maxLength)
    throw new ApiError('INVALID_RESPONSE', `a piece of the stream is longer than ${maxLength} characters`)
}

/** A splitter of text, fed with UTF-8. */
export function fromBytes<T>(splitter: Splitter<T, string>): Splitter<T> {
  const decoder = new TextDecoder()
  return {
    push: (bytes) => splitter.push(decoder.decode(bytes, { stream: true })),
    end: () =>
      gather((pieces) => {
        for (const piece of splitter.push(decoder.decode())) pieces.push(piece)
        for (const piece of splitter.end()) pieces.push(piece)
      }),
  }
}

/** All pieces that `fill` finds, at once, since drawing them from a generator one by one costs a fifth of the speed. */
export function gather<T>(fill: (pieces: T[]) => void): Iterable<T> {
  const pieces: T[] = []
  try {
    fill(pieces)
  } catch (fault) {
    return thenThrow(pieces, fault)
  }
  return pieces
}

function* thenThrow<T>(pieces: T[], fault: unknown): Iterable<T> {
  yield* pieces
  throw fault
}
