import { createEventSplitter } from '@sdk/protocol'
import { useState, type ReactNode } from 'react'
import { toSize } from '../../components/format.ts'
import { parseJson } from '../../components/parse-json.ts'
import { toHex } from './hex.ts'
import { chunkBytes, type Chunk } from './recording.ts'
import { SegmentedControl } from '../../components/segmented-control.tsx'

const MAX_CHUNK_SHOWN = 50_000

const CHUNK_FORMATS = ['Text', 'JSON', 'SSE', 'Hex'] as const

type ChunkFormat = (typeof CHUNK_FORMATS)[number]

/** The content of a chunk, in the chosen format. */
export function ChunkBody({ chunk }: { chunk: Chunk }): ReactNode {
  const [view, setView] = useState<ChunkFormat>('Text')
  const bytes = chunkBytes(chunk)
  const shown = bytes.subarray(0, MAX_CHUNK_SHOWN)
  return (
    <section className="chunk-body" aria-label="Selected chunk">
      <SegmentedControl label="Show as" names={CHUNK_FORMATS} chosen={view} onChoose={setView} />
      <pre tabIndex={0}>{formatChunk(shown, view)}</pre>
      {shown.length < chunk.bytes && (
        <p className="quiet">
          The first {toSize(shown.length)} of {toSize(chunk.bytes)}
        </p>
      )}
    </section>
  )
}

function formatChunk(bytes: Uint8Array, view: ChunkFormat): string {
  if (view === 'Hex') return toHex(bytes)
  const text = new TextDecoder().decode(bytes)
  if (view === 'JSON') return formatJsonLines(text)
  return view === 'SSE' ? toEvents(bytes) : text
}

function formatJsonLines(text: string): string {
  const whole = parseJson(text)
  // Lines that contain only part of a value are skipped.
  const values = whole === undefined ? text.split('\n').map(parseJson) : [whole]
  const known = values.filter((value) => value !== undefined).map((value) => JSON.stringify(value, null, 2))
  return known.length > 0 ? known.join('\n') : 'This is not JSON.'
}

function toEvents(bytes: Uint8Array): string {
  const splitter = createEventSplitter()
  const events = [...splitter.push(bytes), ...splitter.end()]
  if (events.length === 0) return 'No complete event in this chunk.'
  return events
    .map(({ event, id, data }) => `event: ${event}\n${id === '' ? '' : `id: ${id}\n`}data: ${data}`)
    .join('\n\n')
}
