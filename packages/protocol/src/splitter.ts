import { CommonApiError } from './api-error.ts'

/** Takes bytes as the network cuts them and gives whole pieces; the cuts never show. */
export interface Splitter<T> {
  /** The pieces that these bytes complete. A fault is thrown in its place, after the pieces before it. */
  push(bytes: Uint8Array): Iterable<T>
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
  return toSplitter(createCutter(delimiter, options))
}

/** Takes part after part of a text and emits each whole piece; at the end, the last one too. */
export type Cutter<T> = (text: string, emit: (piece: T) => void, isEnd: boolean) => void

/** Cuts at a delimiter, in linear time: only new text is searched, and what waits for its delimiter is kept in parts and joined once. */
export function createCutter(delimiter: string, { maxLength }: SplitterOptions): Cutter<string> {
  if (delimiter === '') throw new TypeError('delimiter must have at least one character')
  let waiting: string[] = []
  let length = 0
  // The end of the text that may be the beginning of a delimiter; searched again with the next part.
  let tail = ''

  return (part, emit, isEnd) => {
    const pieces = (tail + part).split(delimiter)
    const last = pieces.pop() ?? ''
    for (const piece of pieces) emit(take(piece))
    const keep = isEnd ? last.length : Math.max(0, last.length - delimiter.length + 1)
    wait(last.slice(0, keep))
    tail = last.slice(keep)
    if (isEnd && length > 0) emit(take(''))
  }

  function take(rest: string): string {
    assertLength(length + rest.length, maxLength)
    if (length === 0) return rest
    const piece = waiting.join('') + rest
    waiting = []
    length = 0
    return piece
  }

  function wait(text: string): void {
    assertLength(length + text.length, maxLength)
    if (text === '') return
    waiting.push(text)
    length += text.length
  }
}

/** Refuses a piece that is too long to be kept. */
export function assertLength(length: number, maxLength: number = MAX_PIECE): void {
  if (length > maxLength)
    throw new CommonApiError('INVALID_RESPONSE', `a piece of the stream is longer than ${maxLength} characters`)
}

/** A cutter of text, fed with UTF-8. */
export function toSplitter<T>(cut: Cutter<T>): Splitter<T> {
  const decoder = new TextDecoder()
  return {
    push: (bytes) => gather((emit) => cut(decoder.decode(bytes, { stream: true }), emit, false)),
    end: () => gather((emit) => cut(decoder.decode(), emit, true)),
  }
}

/** All pieces at once, since drawing them one by one from a generator costs a fifth of the speed. */
function gather<T>(run: (emit: (piece: T) => void) => void): Iterable<T> {
  const pieces: T[] = []
  try {
    run((piece) => pieces.push(piece))
  } catch (fault) {
    return thenThrow(pieces, fault)
  }
  return pieces
}

function* thenThrow<T>(pieces: T[], fault: unknown): Iterable<T> {
  yield* pieces
  throw fault
}
