import { isUtf8 } from 'node:buffer'
import type { Piece } from '@sdk/server'
import type { RunText } from '../run.ts'
import type { Redactor } from './redact.ts'

/** Characters that the texts of one run may have. */
const MAX_TEXT = 1_000_000

/** Characters that all runs may have that are not written yet: beyond it, only sizes are recorded. */
const MAX_HELD = 64_000_000

/** What the runs hold that are not written yet. */
export interface Held {
  size: number
}

/** A text that was kept, as much of it as there was room for. */
export interface Kept {
  readonly piece: Piece
  /** Of the whole, where it was cut. */
  readonly bytes: number | null
}

/** How much text of one run may still be kept. */
export class TextBudget {
  readonly #held: Held
  #used = 0

  constructor(held: Held) {
    this.#held = held
  }

  take(piece: Piece): Kept {
    const room = Math.min(MAX_TEXT - this.#used, Math.max(0, MAX_HELD - this.#held.size))
    const size = Math.min(piece.length, room)
    this.#used += size
    this.#held.size += size
    if (size < piece.length) return { piece: piece.slice(0, size), bytes: Buffer.byteLength(piece) }
    // Whoever made the bytes may use them again.
    return { piece: typeof piece === 'string' ? piece : piece.slice(), bytes: null }
  }

  /** What was kept is gone. */
  letGo(): void {
    this.#held.size -= this.#used
    this.#used = 0
  }
}

/** A kept text as it is recorded. */
export function toRunText({ piece, bytes }: Kept, redactor: Redactor): RunText {
  const [text] = toRunTexts([{ piece, bytes }], redactor)
  return text ?? { text: '', bytes: 0, isCut: false }
}

/** Pieces of one body: together they are a text, though a character or a secret may lie in two of them. */
export function toRunTexts(all: readonly Kept[], redactor: Redactor): RunText[] {
  const texts = toTexts(all.map(({ piece }) => piece))
  const clean = texts === null ? null : redactor.pieces(texts)
  return all.map(({ piece, bytes }, index) => ({
    text: clean?.[index] ?? Buffer.from(piece as Uint8Array).toString('base64'),
    bytes: bytes ?? Buffer.byteLength(piece),
    isCut: bytes !== null,
    ...(clean === null && { encoding: 'base64' as const }),
  }))
}

/** Null where they are no text. Half a character moves to the piece that has its other half. */
function toTexts(pieces: readonly Piece[]): readonly string[] | null {
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
