import { isUtf8 } from 'node:buffer'
import type { BodyChunk } from '@sdk/server'
import type { RunText } from '../run.ts'
import type { Redactor } from './redact.ts'

const MAX_RUN_TEXT = 1_000_000

/**
 * The maximum number of characters held in memory for runs that have not been written yet. Beyond this limit, only
 * sizes are recorded.
 */
const MAX_TEXT_MEMORY = 64_000_000

/** The memory used by all runs that have not been written yet. */
export interface MemoryUsage {
  size: number
}

/** Stored text or binary data: either complete, or truncated with its original size. */
export type StoredText = BodyChunk | CutText

interface CutText {
  readonly piece: BodyChunk
  readonly bytes: number
}

/** The amount of text that one run may still store. */
export class TextBudget {
  readonly #held: MemoryUsage
  #used = 0
  #max = MAX_RUN_TEXT

  constructor(held: MemoryUsage) {
    this.#held = held
  }

  /** Stores at most `limit` characters or bytes, if the budget allows. */
  take(piece: BodyChunk, limit: number = Infinity): StoredText {
    const { length } = piece
    const held = this.#held
    if (length > limit || this.#used + length > this.#max || held.size + length > MAX_TEXT_MEMORY)
      return this.#cut(piece, limit)
    this.#used += length
    held.size += length
    // Copied, since the buffer's owner might reuse it.
    return typeof piece === 'string' ? piece : piece.slice()
  }

  /** Releases the stored text. Text added later is not stored, since it would never be released. */
  release(): void {
    this.#held.size -= this.#used
    this.#used = this.#max = 0
  }

  /** Allows further text after a release, because the run is written and released again. */
  reopen(): void {
    this.#max = MAX_RUN_TEXT
  }

  #cut(piece: BodyChunk, limit: number): CutText {
    const room = Math.max(0, Math.min(limit, this.#max - this.#used, MAX_TEXT_MEMORY - this.#held.size))
    this.#used += room
    this.#held.size += room
    return { piece: piece.slice(0, room), bytes: Buffer.byteLength(piece) }
  }
}

/** Converts stored text to the redacted form that is written to disk. */
export function toRunText(kept: StoredText, redactor: Redactor): RunText {
  const [text] = toRunTexts([kept], redactor)
  return text ?? { text: '', bytes: 0, isCut: false }
}

/** Converts the chunks of one body. They are converted together, since a character or a secret can span two chunks. */
export function toRunTexts(all: readonly StoredText[], redactor: Redactor): RunText[] {
  const texts = decodePieces(all.map(contentOf))
  const clean = texts === null ? null : redactor.chunks(texts)
  return all.map((kept, index) => {
    const text = clean?.[index]
    const facts = { bytes: storedBytes(kept), isCut: isTruncated(kept) }
    if (text !== undefined) return { text, ...facts }
    return { text: Buffer.from(contentOf(kept) as Uint8Array).toString('base64'), ...facts, encoding: 'base64' }
  })
}

/** Joins several pieces of stored text. */
export function joinStored(all: readonly StoredText[]): StoredText {
  const piece = all.map((kept) => String(contentOf(kept))).join('')
  return all.some(isTruncated) ? { piece, bytes: all.reduce((sum, kept) => sum + storedBytes(kept), 0) } : piece
}

/** Returns the stored part as a string, even if it was sent as bytes. */
export function storedText(kept: StoredText): string {
  return Buffer.from(contentOf(kept)).toString()
}

/** Returns the original size, in bytes. */
export function storedBytes(kept: StoredText): number {
  return isTruncated(kept) ? kept.bytes : Buffer.byteLength(kept)
}

function isTruncated(kept: StoredText): kept is CutText {
  return typeof kept === 'object' && 'piece' in kept
}

function contentOf(kept: StoredText): BodyChunk {
  return isTruncated(kept) ? kept.piece : kept
}

/**
 * Decodes chunks, or returns null if they are not UTF-8. A split character is added to the chunk that contains its end.
 */
function decodePieces(pieces: readonly BodyChunk[]): readonly string[] | null {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces
  if (pieces.every((piece) => typeof piece === 'string' || isUtf8(piece)))
    return pieces.map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString()))
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return pieces.map((piece) => decoder.decode(Buffer.from(piece as Uint8Array), { stream: true }))
  } catch {
    return null
  }
}
