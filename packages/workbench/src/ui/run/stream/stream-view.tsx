import { useState, type ReactNode } from 'react'
import { Empty } from '../../components/empty.tsx'
import { toCount, toDuration, toSize } from '../../components/format.ts'
import { ChunkBody } from './chunk-body.tsx'
import { ChunkStrip, onListKeys, type ListSelection } from './chunk-strip.tsx'
import { isBuffered, recordingSize, type StreamRecording, chunkText, type Chunk } from './recording.ts'
import { ReplayBar, useReplay } from './replay-bar.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { SplitList } from './split-list.tsx'
import { countAt, endOf } from './ticks.ts'
import { VirtualList } from '../../components/virtual-list.tsx'

const ROWS = ['On the wire', 'onChunk'] as const

interface StreamViewProps {
  readonly recording: StreamRecording
  /** This page's recording, if the page made the call. It reveals buffering between the server and the page. */
  readonly seen?: StreamRecording | undefined
}

/** The chunks of a stream with their times, sizes and content, and a replay. */
export function StreamView({ recording, seen }: StreamViewProps): ReactNode {
  // If null, the latest chunk is selected, both live and in a replay.
  const [chosen, setChosen] = useState<number | null>(recording.total === null ? null : 0)
  const [rows, setRows] = useState<(typeof ROWS)[number]>('On the wire')
  const end = endOf(recording)
  const replay = useReplay(end)
  const count = replay.time === null ? recording.chunks.length : countAt(recording.chunks, replay.time)
  const isLive = recording.total === null
  const selected = Math.min(chosen ?? Infinity, count - 1)
  const chunk = recording.chunks[selected]
  if (recording.chunks.length === 0) return <NoChunks isLive={isLive} headAt={recording.headAt} />
  const shown = replay.time === null ? recording.chunks : recording.chunks.slice(0, count)
  return (
    <div className="stream">
      <StreamStats recording={recording} />
      <BufferHint recording={recording} seen={seen} />
      <ChunkStrip recording={recording} end={end} selected={selected} onSelect={setChosen} time={replay.time} />
      <ReplayBar replay={replay} end={end} isLive={isLive} onPlay={() => setChosen(null)}>
        {(isLive || replay.time !== null) && (
          <label className="check">
            <input
              type="checkbox"
              checked={chosen === null}
              onChange={({ target }) => setChosen(target.checked ? null : Math.max(0, selected))}
            />
            Follow
          </label>
        )}
        <SegmentedControl label="Rows" names={ROWS} chosen={rows} onChoose={setRows} />
      </ReplayBar>
      {rows === 'onChunk' ? (
        <SplitList recording={recording} until={replay.time} isFollowing={chosen === null} />
      ) : (
        <>
          <ChunkList chunks={shown} selected={selected} onSelect={setChosen} />
          {chunk !== undefined && <ChunkBody chunk={chunk} />}
        </>
      )}
    </div>
  )
}

function StreamStats({ recording }: { recording: StreamRecording }): ReactNode {
  const { chunks, headAt, total } = recording
  const gaps = chunks.map(({ at }, index) => at - (chunks[index - 1]?.at ?? at))
  return (
    <dl className="stream-facts">
      <StreamStat name="headers" mark="head" value={headAt === null ? '–' : toDuration(headAt)} />
      <StreamStat name="first byte" mark="first" value={toDuration(chunks[0]?.at ?? 0)} />
      <StreamStat name="longest gap" value={toDuration(gaps.reduce((most, gap) => Math.max(most, gap), 0))} />
      <StreamStat name="end" value={total === null ? '…' : toDuration(total)} />
      <StreamStat name="chunks" value={toCount(chunks.length)} />
      <StreamStat name="size" value={toSize(recordingSize(recording))} />
    </dl>
  )
}

function StreamStat({ name, value, mark }: { name: string; value: string; mark?: 'head' | 'first' }): ReactNode {
  return (
    <div>
      <dt className="hint" data-mark={mark}>
        {name}
      </dt>
      <dd>{value}</dd>
    </div>
  )
}

function BufferHint({ recording, seen }: { recording: StreamRecording; seen: StreamRecording | undefined }): ReactNode {
  if (isBuffered(recording)) {
    return (
      <p className="notice">
        All chunks arrived within 1 ms: they were buffered until the end. Does the handler yield each chunk as soon as
        it is available?
      </p>
    )
  }
  if (seen === undefined || !isBuffered(seen)) return null
  return (
    <p className="notice">
      The server sent the chunks over time, but this page received them within 1 ms: they were buffered in transit.
    </p>
  )
}

function NoChunks({ isLive, headAt }: { isLive: boolean; headAt: number | null }): ReactNode {
  if (!isLive) return <Empty title="No body was sent" />
  return (
    <Empty title="Nothing received yet">
      <p className="quiet">
        {headAt === null ? 'Waiting for the headers.' : `Headers received after ${toDuration(headAt)}.`}
      </p>
    </Empty>
  )
}

const CHUNK_ROW_HEIGHT = 26
const MAX_PREVIEW = 200

type ChunkListProps = Omit<ListSelection, 'count'> & { chunks: readonly Chunk[] }

function ChunkList({ chunks, selected, onSelect }: ChunkListProps): ReactNode {
  return (
    <div className="chunk-list" onKeyDown={(event) => onListKeys(event, { selected, count: chunks.length, onSelect })}>
      <VirtualList
        count={chunks.length}
        rowHeight={CHUNK_ROW_HEIGHT}
        label="Chunks"
        selected={selected < 0 ? null : selected}
        render={(index) => {
          const chunk = chunks[index]
          if (chunk === undefined) return null
          return (
            <button
              type="button"
              className="chunk-row"
              tabIndex={-1}
              aria-pressed={index === selected}
              onClick={() => onSelect(index)}
            >
              <span className="num">#{index + 1}</span>
              <span className="num">+{toDuration(chunk.at)}</span>
              <span className="num gap">(gap {toDuration(chunk.at - (chunks[index - 1]?.at ?? 0))})</span>
              <span className="num">{toSize(chunk.bytes)}</span>
              {chunk.from !== undefined && <span className="from">{chunk.from === 'client' ? '↑' : '↓'}</span>}
              <span className="preview">{chunkPreview(chunk)}</span>
            </button>
          )
        }}
      />
    </div>
  )
}

function chunkPreview(chunk: Chunk): string {
  const { data } = chunk
  const start = 'text' in data ? data : data.subarray(0, MAX_PREVIEW)
  return chunkText({ ...chunk, data: start })
    .slice(0, MAX_PREVIEW)
    .replaceAll('\n', '⏎')
}
