import { isUtf8 } from 'node:buffer'
import type { BodyChunk } from '@sdk/server'
import type { RunText } from '../run.ts'
import type { Redactor } from './redact.ts'

const MAX_RUN_TEXT = 1_000_000

/** The maximum number of characters of all runs that are not written yet. Above it, only sizes are recorded. */
const MAX_TEXT_MEMORY = 64_000_000

/** The memory used by all runs that are not written yet. */
export interface MemoryUsage {
  size: number
}

/** A stored text: whole, or truncated with its original size. */
export type StoredText = BodyChunk | CutText

interface CutText {
  readonly piece: BodyChunk
  readonly bytes: number
}

/** The remaining amount of text that one run may store. */
export class TextBudget {
  readonly #held: MemoryUsage
  #used = 0
  #max = MAX_RUN_TEXT

  constructor(held: MemoryUsage) {
    this.#held = held
  }

  take(piece: BodyChunk): StoredText {
    const { length } = piece
    const held = this.#held
    if (this.#used + length > this.#max || held.size + length > MAX_TEXT_MEMORY) return this.#cut(piece)
    this.#used += length
    held.size += length
    // Copied, since the owner of the bytes may reuse them.
    return typeof piece === 'string' ? piece : piece.slice()
  }

  /** Frees the stored text. Later text is not stored, since it would never be freed. */
  release(): void {
    this.#held.size -= this.#used
    this.#used = this.#max = 0
  }

  #cut(piece: BodyChunk): CutText {
    const room = Math.max(0, Math.min(this.#max - this.#used, MAX_TEXT_MEMORY - this.#held.size))
    this.#used += room
    this.#held.size += room
    return { piece: piece.slice(0, room), bytes: Buffer.byteLength(piece) }
  }
}

/** Converts a stored text to its redacted form, as it is written to disk. */
export function toRunText(kept: StoredText, redactor: Redactor): RunText {
  const [text] = toRunTexts([kept], redactor)
  return text ?? { text: '', bytes: 0, isCut: false }
}

/** Converts the chunks of one body. A character or a secret may be spread over two of them. */
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

/** Joins stored texts. */
export function joinStored(all: readonly StoredText[]): StoredText {
  const piece = all.map((kept) => String(contentOf(kept))).join('')
  return all.some(isTruncated) ? { piece, bytes: all.reduce((sum, kept) => sum + storedBytes(kept), 0) } : piece
}

/** Returns the stored part as text, even if it was sent as bytes. */
export function storedText(kept: StoredText): string {
  return Buffer.from(contentOf(kept)).toString()
}

/** Returns the original size in bytes. */
export function storedBytes(kept: StoredText): number {
  return isTruncated(kept) ? kept.bytes : Buffer.byteLength(kept)
}

function isTruncated(kept: StoredText): kept is CutText {
  return typeof kept === 'object' && 'piece' in kept
}

function contentOf(kept: StoredText): BodyChunk {
  return isTruncated(kept) ? kept.piece : kept
}

/** Decodes chunks; returns null if they are not UTF-8. A split character goes to the chunk with its end. */
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
