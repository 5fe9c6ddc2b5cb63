import type { RunInspection } from '../../api.ts'

/** A row in the list of chunks: a chunk, or the place from which an attempt has produced the chunks again. */
export type ChunkRow =
  | { readonly kind: 'chunk'; readonly index: number; readonly epoch: number; readonly text: string }
  | { readonly kind: 'retraction'; readonly epoch: number; readonly keep: number }

/** Merges the chunks of a run with the retractions of its attempts. */
export function toChunkRows({
  chunks,
  firstChunk,
  attempts,
}: Pick<RunInspection, 'chunks' | 'firstChunk' | 'attempts'>): ChunkRow[] {
  const retractionsAt = (index: number): ChunkRow[] =>
    attempts.flatMap(({ epoch, keep }) => (keep === index ? [{ kind: 'retraction', epoch, keep }] : []))
  const rows = chunks.flatMap(({ text, epoch }, offset): ChunkRow[] => {
    const index = firstChunk + offset
    return [...retractionsAt(index), { kind: 'chunk', index, epoch, text }]
  })
  const end = firstChunk + chunks.length
  return chunks.length === 0 && end === 0 ? [] : [...rows, ...retractionsAt(end)]
}
