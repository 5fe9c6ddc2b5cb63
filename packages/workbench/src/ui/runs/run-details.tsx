import type { ReactNode } from 'react'
import type { Run } from '../../run.ts'
import { toDuration, toTimestamp, toSize } from '../components/format.ts'
import { RunPill } from '../components/pill.tsx'
import { identityLabel } from './run-row.tsx'

/** What there is to know of a run beside its body, in a line. */
export function RunDetails({ run }: { run: Run }): ReactNode {
  const { ms, bytes, chunks, caller, revision, requestId, traceId, startedAt, kind, closed } = run
  return (
    <dl className="run-facts">
      <RunDetail name="State">
        <RunPill run={run} />
      </RunDetail>
      <RunDetail name="Time">{ms === null ? 'running' : toDuration(ms)}</RunDetail>
      <RunDetail name="Size">{toSize(bytes)}</RunDetail>
      {chunks > 0 && <RunDetail name={kind === 'socket' ? 'Frames' : 'Chunks'}>{chunks}</RunDetail>}
      <RunDetail name="Caller">{caller}</RunDetail>
      <RunDetail name="Identity">{identityLabel(run)}</RunDetail>
      <RunDetail name="Revision">{revision}</RunDetail>
      <RunDetail name="Started">
        <time dateTime={new Date(startedAt).toISOString()}>{toTimestamp(startedAt)}</time>
      </RunDetail>
      {closed !== null && <RunDetail name="Closed">{`${closed.code} ${closed.reason}`.trim()}</RunDetail>}
      {requestId !== '' && <RunDetail name="Request">{requestId}</RunDetail>}
      {traceId !== null && <RunDetail name="Trace">{traceId}</RunDetail>}
    </dl>
  )
}

function RunDetail({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
