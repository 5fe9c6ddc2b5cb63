import { useMemo, useState, type ReactNode } from 'react'
import { Empty } from '../../components/empty.tsx'
import { toSize } from '../../components/format.ts'
import { JsonView } from '../../components/json-view.tsx'
import { fileNameOf, joinTexts, MAX_OUTPUT_SHOWN, toOutput, toOutputText, type Output } from './output.ts'
import { toHex } from './hex.ts'
import { responseHeader, joinChunks, recordingSize, type StreamRecording } from './recording.ts'
import { SegmentedControl } from '../../components/segmented-control.tsx'

/** The maximum number of bytes that are shown as a hex dump. */
const MAX_HEX_SHOWN = 16_384

interface OutputViewProps {
  readonly recording: StreamRecording
  /** The output as parsed by the client: a value, or the chunks received so far. Undefined for a recorded run. */
  readonly known?: unknown
  readonly route: string
  /** Whether the client disconnected before the response ended. @default false */
  readonly isCancelled?: boolean
}

/** The output of a run: a value, the chunks of a stream, or text. It can also be viewed raw and downloaded. */
export function OutputView({ recording, known, route, isCancelled = false }: OutputViewProps): ReactNode {
  const [way, setWay] = useState<string | null>(null)
  const output = useMemo(() => toOutput(recording, known), [recording, known])
  if (output.kind === 'nothing') return <NoOutput recording={recording} isCancelled={isCancelled} />
  const ways = outputFormats(output, recording)
  const chosen = way === 'Raw' ? undefined : (ways.find(({ name }) => name === way) ?? ways[0])
  const shown = chosen?.name ?? 'Raw'
  return (
    <div className="output">
      <div className="output-bar">
        <SegmentedControl
          label="Show as"
          names={[...ways.map(({ name }) => name), 'Raw']}
          chosen={shown}
          onChoose={setWay}
        />
        <button type="button" className="button small" onClick={() => save(recording, route)}>
          Download
        </button>
      </div>
      {isCancelled && (
        <p className="notice">
          The call was cancelled. This is the output up to that point; some of it may not have reached the caller.
        </p>
      )}
      {chosen === undefined ? <Raw recording={recording} /> : chosen.view}
    </div>
  )
}

function outputFormats(output: Output, recording: StreamRecording): { name: string; view: ReactNode }[] {
  if (output.kind === 'binary') return [{ name: 'Hex', view: <Hex recording={recording} /> }]
  if (output.kind === 'value') return [{ name: 'Value', view: <JsonView label="Output" value={output.value} /> }]
  if (output.kind !== 'chunks') return []
  const text = joinTexts(output.values)
  const chunks = { name: 'Chunks', view: <JsonView label="Chunks" value={output.values} /> }
  return text === null ? [chunks] : [{ name: 'Joined', view: <Text text={text} /> }, chunks]
}

/** The first bytes of a binary response. */
function Hex({ recording }: { recording: StreamRecording }): ReactNode {
  const size = recordingSize(recording)
  const bytes = joinChunks(recording.chunks, MAX_HEX_SHOWN)
  return (
    <>
      <pre tabIndex={0}>{toHex(bytes)}</pre>
      {size > bytes.length && <Shortened recording={recording} shown={bytes.length} />}
    </>
  )
}

/** Text, truncated to the length that a page can show. */
function Text({ text }: { text: string }): ReactNode {
  return (
    <>
      <pre tabIndex={0}>{text.slice(0, MAX_OUTPUT_SHOWN)}</pre>
      {text.length > MAX_OUTPUT_SHOWN && <p className="notice">Truncated to {toSize(MAX_OUTPUT_SHOWN)}.</p>}
    </>
  )
}

function Raw({ recording }: { recording: StreamRecording }): ReactNode {
  return (
    <>
      <pre tabIndex={0}>{toOutputText(recording)}</pre>
      {recordingSize(recording) > MAX_OUTPUT_SHOWN && <Shortened recording={recording} shown={MAX_OUTPUT_SHOWN} />}
    </>
  )
}

function Shortened({ recording, shown }: { recording: StreamRecording; shown: number }): ReactNode {
  const size = recordingSize(recording)
  const kept = recording.chunks.reduce((sum, { bytes, isCut }) => sum + (isCut ? 0 : bytes), 0)
  return (
    <p className="notice">
      The first {toSize(shown)} of {toSize(size)} is shown.{' '}
      {kept < size
        ? 'Only part of the response was stored, so only that part can be downloaded.'
        : 'The download contains the complete response.'}
    </p>
  )
}

interface NoOutputProps {
  readonly recording: StreamRecording
  readonly isCancelled: boolean
}

function NoOutput({ recording: { status, total }, isCancelled }: NoOutputProps): ReactNode {
  if (isCancelled) return <Empty title="Cancelled before any output" />
  if (total === null) return <Empty title="Waiting for the response" />
  return <Empty title={status === 0 ? 'No response' : `${status} with an empty body`} />
}

function save(recording: StreamRecording, route: string): void {
  const type = responseHeader(recording, 'content-type') ?? 'application/octet-stream'
  const url = URL.createObjectURL(new Blob([joinChunks(recording.chunks)], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileNameOf(recording, route)
  link.click()
  // By then, the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
