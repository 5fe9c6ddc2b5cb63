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
  return toSplitter(createCutter(delimiter, options), (piece) => piece)
}

/** Takes part after part of a text and emits each whole piece; at the end, the last one too. */
export type Cutter = (text: string, emit: (piece: string) => void, isEnd: boolean) => void

/**
 * Cuts at a delimiter, in linear time: only new text is searched, and engines concatenate texts only when they are
 * read.
 */
export function createCutter(delimiter: string, { maxLength = MAX_PIECE }: SplitterOptions): Cutter {
  if (delimiter === '') throw new TypeError('delimiter must have at least one character')
  let waiting = ''
  // The end of the text that may be the beginning of a delimiter; searched again with the next part.
  let tail = ''

  return (part, emit, isEnd) => {
    const pieces = (tail + part).split(delimiter)
    const last = pieces.pop() ?? ''
    for (const piece of pieces) {
      emit(join(piece))
      waiting = ''
    }
    const keep = isEnd ? last.length : Math.max(0, last.length - delimiter.length + 1)
    waiting = join(last.slice(0, keep))
    tail = last.slice(keep)
    if (isEnd && waiting !== '') emit(waiting)
  }

  function join(rest: string): string {
    if (waiting.length + rest.length > maxLength)
      throw new CommonApiError('INVALID_RESPONSE', `a piece of the stream is longer than ${maxLength} characters`)
    return waiting + rest
  }
}

/** Decodes UTF-8, cuts the text and reads each piece; one that is read as undefined is left out. */
export function toSplitter<T>(cut: Cutter, read: (piece: string) => T | undefined): Splitter<T> {
  const decoder = new TextDecoder()
  return {
    push: (bytes) => take(decoder.decode(bytes, { stream: true }), false),
    end: () => take(decoder.decode(), true),
  }

  /** A list: a generator would be a fifth slower. */
  function take(text: string, isEnd: boolean): Iterable<T> {
    const values: T[] = []
    const emit = (piece: string): void => {
      const value = read(piece)
      if (value !== undefined) values.push(value)
    }
    try {
      cut(text, emit, isEnd)
    } catch (fault) {
      return thenThrow(values, fault)
    }
    return values
  }
}

function* thenThrow<T>(values: T[], fault: unknown): Iterable<T> {
  yield* values
  throw fault
}
