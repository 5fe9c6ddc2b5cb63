import { useMemo, useState, type ReactNode } from 'react'
import { Empty } from '../parts/empty.tsx'
import { toSize } from '../parts/figures.ts'
import { JsonView } from '../parts/json-view.tsx'
import { fileNameOf, joinTexts, MAX_SHOWN, toOutput, toText, type Output } from './output.ts'
import { headerOf, joinChunks, sizeOf, type Recording } from './recording.ts'
import { Segments } from './segments.tsx'

interface OutputViewProps {
  readonly recording: Recording
  /** The output as the client parsed it: a value, or the chunks so far; undefined where no client did. */
  readonly known?: unknown
  /** What a saved answer is named after. */
  readonly route: string
  /** Did the caller leave before the end? @default false */
  readonly isCancelled?: boolean
}

/** What came back, as people read it: a value, the chunks of a stream, or text; also raw, and to save. */
export function OutputView({ recording, known, route, isCancelled = false }: OutputViewProps): ReactNode {
  const [way, setWay] = useState<string | null>(null)
  const output = useMemo(() => toOutput(recording, known), [recording, known])
  if (output.kind === 'nothing') return <Nothing recording={recording} />
  const ways = waysOf(output)
  const chosen = way === 'Raw' ? undefined : (ways.find(({ name }) => name === way) ?? ways[0])
  const shown = chosen?.name ?? 'Raw'
  return (
    <div className="output">
      <div className="output-bar">
        <Segments label="Show as" names={[...ways.map(({ name }) => name), 'Raw']} chosen={shown} onChoose={setWay} />
        <button type="button" className="button small" onClick={() => save(recording, route)}>
          Download
        </button>
      </div>
      {isCancelled && (
        <p className="notice">The caller left before the end: this is what the handler made, not what arrived.</p>
      )}
      {chosen === undefined ? <Raw recording={recording} /> : chosen.view}
    </div>
  )
}

interface Way {
  readonly name: string
  readonly view: ReactNode
}

function waysOf(output: Output): Way[] {
  if (output.kind === 'value') return [{ name: 'Value', view: <JsonView label="Output" value={output.value} /> }]
  if (output.kind !== 'chunks') return []
  const text = joinTexts(output.values)
  const chunks = { name: 'Chunks', view: <JsonView label="Chunks" value={output.values} /> }
  return text === null ? [chunks] : [{ name: 'Joined', view: <Text text={text} /> }, chunks]
}

/** A text, cut to what a page can show; of one that grows, the end. */
function Text({ text }: { text: string }): ReactNode {
  return (
    <>
      <pre tabIndex={0}>{text.slice(0, MAX_SHOWN)}</pre>
      {text.length > MAX_SHOWN && <p className="notice">Cut here: {toSize(MAX_SHOWN)} are shown.</p>}
    </>
  )
}

function Raw({ recording }: { recording: Recording }): ReactNode {
  const size = sizeOf(recording)
  const kept = recording.chunks.reduce((sum, { bytes, isCut }) => sum + (isCut ? 0 : bytes), 0)
  return (
    <>
      <pre tabIndex={0}>{toText(recording)}</pre>
      {size > MAX_SHOWN && (
        <p className="notice">
          The first {toSize(MAX_SHOWN)} of {toSize(size)}.{' '}
          {kept < size ? 'The record keeps a part of it; what is kept can be downloaded.' : 'Download has all of it.'}
        </p>
      )}
    </>
  )
}

function Nothing({ recording: { status, total } }: { recording: Recording }): ReactNode {
  if (total === null) return <Empty title="Waiting for the answer" />
  return <Empty title={status === 0 ? 'There was no answer' : `${status} with an empty body`} />
}

function save(recording: Recording, route: string): void {
  const type = headerOf(recording, 'content-type') ?? 'application/octet-stream'
  const url = URL.createObjectURL(new Blob([joinChunks(recording.chunks)], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileNameOf(recording, route)
  link.click()
  // By then the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
