import type { ReactNode } from 'react'
import type { Run } from '../../run.ts'
import { toDuration, toMoment, toSize } from '../parts/figures.ts'
import { RunPill } from '../parts/pill.tsx'
import { whoOf } from './run-row.tsx'

/** What there is to know of a run beside its body, in a line. */
export function RunFacts({ run }: { run: Run }): ReactNode {
  const { ms, bytes, chunks, caller, revision, requestId, traceId, startedAt, kind, closed } = run
  return (
    <dl className="run-facts">
      <Fact name="State">
        <RunPill run={run} />
      </Fact>
      <Fact name="Time">{ms === null ? 'running' : toDuration(ms)}</Fact>
      <Fact name="Size">{toSize(bytes)}</Fact>
      {chunks > 0 && <Fact name={kind === 'socket' ? 'Frames' : 'Chunks'}>{chunks}</Fact>}
      <Fact name="Caller">{caller}</Fact>
      <Fact name="Identity">{whoOf(run)}</Fact>
      <Fact name="Revision">{revision}</Fact>
      <Fact name="Started">
        <time dateTime={new Date(startedAt).toISOString()}>{toMoment(startedAt)}</time>
      </Fact>
      {closed !== null && <Fact name="Closed">{`${closed.code} ${closed.reason}`.trim()}</Fact>}
      {requestId !== '' && <Fact name="Request">{requestId}</Fact>}
      {traceId !== null && <Fact name="Trace">{traceId}</Fact>}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
