import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { isEqualJson } from '../compare/fingerprint.ts'
import { identityName } from '../frame/identity-name.ts'
import { links } from '../links.ts'
import { toDuration } from '../components/format.ts'
import { Pill, type Tone } from '../components/pill.tsx'
import { withFilter } from '../runs/filter-address.ts'
import type { Cell } from './matrix-run.ts'
import type { LiveMatrix } from './use-matrix.ts'
import { TableHead } from '../components/table-head.tsx'

/** A table with one row per identity, which compares each response with the first one. */
export function CellGrid({ matrix }: { matrix: LiveMatrix }): ReactNode {
  const { cells, identities } = matrix
  const [first] = cells
  return (
    <div className="table-scroll" tabIndex={0}>
      <table className="table matrix-grid">
        <TableHead columns={['Identity', 'Status', ['Time', 'num'], 'Response', 'Compared with the first', 'Run']} />
        <tbody>
          {cells.map((cell) => (
            <tr key={cell.index}>
              <th scope="row">{identityName(identities[cell.index] ?? { kind: 'anonymous' })}</th>
              <td>
                <CellPill cell={cell} />
              </td>
              <td className="num">{cell.ms === undefined ? '' : toDuration(cell.ms)}</td>
              <td className="matrix-answer cut">{outcomePreview(cell)}</td>
              <td>{cell.index === 0 ? '' : sameness(first, cell)}</td>
              <td>{cell.requestId !== null && <RunLink matrix={matrix} requestId={cell.requestId} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function CellPill({ cell: { progress, state, status = 0 } }: { cell: Cell }): ReactNode {
  if (progress !== 'over') return <Pill tone={progress === 'running' ? 'busy' : 'quiet'}>{progress}</Pill>
  return <Pill tone={cellTone(state, status)}>{status === 0 || isBroken(state, status) ? state : status}</Pill>
}

/**
 * A link to a call's run. Until the run is recorded, it leads to the list of runs, filtered by the call's request id.
 */
export function RunLink({ matrix, requestId }: { matrix: LiveMatrix; requestId: string }): ReactNode {
  return (
    <Link className="link" href={runHref(matrix, requestId)}>
      run
    </Link>
  )
}

/** Returns the URL of a call's run. Until the run is recorded, this is the list of runs, filtered by the request id. */
export function runHref(matrix: LiveMatrix, requestId: string): string {
  const id = matrix.runOf(requestId)
  return id === null ? withFilter(links.runs, { requestId }) : links.run(id)
}

/** Returns a response on one line: its value or its error. */
export function outcomePreview({ state, output, error }: Cell): string {
  if (error !== null && error !== undefined) return `${error.code}: ${error.message}`
  return state === 'done' ? (JSON.stringify(output) ?? 'null').slice(0, 300) : ''
}

/** Returns whether a stream started successfully but ended with an error. */
function isBroken(state: Cell['state'], status: number): boolean {
  return state === 'failed' && status < 400
}

function cellTone(state: Cell['state'], status: number): Tone {
  if (state === 'cancelled') return 'quiet'
  if (isBroken(state, status) || status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}

function sameness(first: Cell | undefined, cell: Cell): ReactNode {
  if (first?.progress !== 'over' || cell.progress !== 'over') return null
  const isAlike =
    first.status === cell.status && first.error?.code === cell.error?.code && isEqualJson(first.output, cell.output)
  return <Pill tone={isAlike ? 'quiet' : 'warn'}>{isAlike ? 'same' : 'different'}</Pill>
}
