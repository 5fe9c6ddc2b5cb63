import { RUN_ID_HEADER } from '@sdk/protocol'
import { useState, type ReactNode, useMemo } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import type { Run } from '../../run.ts'
import { useRun } from '../data/use-runs.ts'
import { links } from '../links.ts'
import { Empty } from '../components/empty.tsx'
import { RouteName } from '../components/route-name.tsx'
import { useHotkeys } from '../components/use-hotkeys.ts'
import { RunView } from '../run/run-view.tsx'
import { fromAddress, withFilter, type AddressFilter } from './filter-address.ts'
import { inputOf } from './input-of.ts'
import { RunActions, useNeighbours } from './run-actions.tsx'
import { usePin } from './use-selection.ts'
import { toCount, toDuration, toTimestamp, toSize } from '../components/format.ts'
import { RunPill } from '../components/pill.tsx'
import { identityLabel } from './run-row.tsx'
import { FrameList } from '../sockets/frame-row.tsx'
import type { ConsoleFrame } from '../sockets/frame-log.ts'
import '../sockets/sockets.css'
import './runs.css'

/** The page for a recorded run. */
export function RunPage({ id }: { id: string }): ReactNode {
  const [search] = useSearchParams()
  const filter = fromAddress(search)
  const { run, isMissing } = useRun(id)
  if (run !== undefined) return <RecordedRun run={run} filter={filter} />
  if (!isMissing) return <p className="page quiet">Loading</p>
  return (
    <div className="page">
      <h1>Run</h1>
      <Empty title="Run not found">
        <p>
          The run was cleared, or deleted to make room for newer runs. Pinned runs are kept.{' '}
          <Link href={withFilter(links.runs, filter)}>All runs</Link>
        </p>
      </Empty>
    </div>
  )
}

function RecordedRun({ run: recorded, filter }: { run: Run; filter: AddressFilter }): ReactNode {
  const [, go] = useLocation()
  const [isPinned, setPinned] = useState(recorded.isPinned)
  const run = { ...recorded, isPinned }
  const neighbours = useNeighbours(run.id, filter)
  const pin = usePin((now) => setPinned(now.isPinned))
  const name = run.route ?? `${run.method} ${run.target}`
  const step = (to: string | null) => (): void => {
    if (to !== null) go(withFilter(links.run(to), filter))
  }
  useHotkeys({ j: step(neighbours.older), k: step(neighbours.newer), p: () => pin(run) })
  return (
    <div className="page full run-page">
      <header className="page-head">
        <div>
          <p className="small">
            <Link href={withFilter(links.runs, filter)}>Runs</Link> / {run.id}
          </p>
          <h1>
            <RouteName route={name} />
          </h1>
          {run.target !== name.replace(/^\S+ /, '') && <p className="path">{run.target}</p>}
        </div>
        <RunActions run={run} filter={filter} neighbours={neighbours} onPin={() => pin(run)} />
      </header>
      <RunDetails run={run} />
      {run.kind === 'socket' && run.pieces.length > 0 ? (
        <SocketFrames run={recorded} />
      ) : (
        <RunView call={null} run={recorded} route={name} input={inputOf(recorded)} />
      )}
    </div>
  )
}

function RunDetails({ run }: { run: Run }): ReactNode {
  const { ms, bytes, chunks, caller, revision, requestId, traceId, startedAt, kind, closed } = run
  const durableId = run.response?.headers.find(([name]) => name === RUN_ID_HEADER)?.[1]
  return (
    <dl className="run-facts">
      <RunDetail name="State">
        <RunPill run={run} />
      </RunDetail>
      <RunDetail name="Time">{ms === null ? 'running' : toDuration(ms)}</RunDetail>
      <RunDetail name="Size">{toSize(bytes)}</RunDetail>
      {chunks > 0 && <RunDetail name={kind === 'socket' ? 'Frames' : 'Chunks'}>{toCount(chunks)}</RunDetail>}
      <RunDetail name="Caller">{caller}</RunDetail>
      {run.via !== undefined && <RunDetail name="Tool call at">{run.via}</RunDetail>}
      <RunDetail name="Identity">{identityLabel(run)}</RunDetail>
      <RunDetail name="Revision">{revision}</RunDetail>
      <RunDetail name="Started">
        <time dateTime={new Date(startedAt).toISOString()}>{toTimestamp(startedAt)}</time>
      </RunDetail>
      {closed !== null && <RunDetail name="Closed">{`${closed.code} ${closed.reason}`.trim()}</RunDetail>}
      {requestId !== '' && <RunDetail name="Request">{requestId}</RunDetail>}
      {durableId !== undefined && (
        <RunDetail name="Durable run">
          <Link href={links.durableRun(durableId)}>{durableId}</Link>
        </RunDetail>
      )}
      {traceId !== null && <RunDetail name="Trace">{traceId}</RunDetail>}
    </dl>
  )
}

function RunDetail({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt className="quiet">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The frames on a socket, in both directions. */
function SocketFrames({ run }: { run: Run }): ReactNode {
  const frames = useMemo(() => toConsoleFrames(run), [run])
  return (
    <section className="frame-panel" aria-label="Frames">
      <FrameList label="Frames, oldest first" frames={frames} empty="No frames" />
    </section>
  )
}

function toConsoleFrames({ pieces, startedAt }: Run): ConsoleFrame[] {
  return pieces.map(({ at, from = 'server', text, bytes, encoding }, index) => ({
    id: index + 1,
    at: startedAt + at,
    from,
    text: encoding === 'base64' ? `(binary) ${text}` : text,
    bytes,
    tone: 'quiet',
  }))
}
