import type { ReactNode } from 'react'
import type { RunInspection } from '../../api.ts'
import { Empty } from '../components/empty.tsx'
import { toCount } from '../components/format.ts'
import { TableHead } from '../components/table-head.tsx'
import { shortId } from './steps-view.tsx'

/** The attempts of a run, each with its process, its finished steps and the chunks that it kept. */
export function AttemptsView({ found: { attempts, run } }: { found: RunInspection }): ReactNode {
  if (attempts.length === 0)
    return (
      <Empty title="No attempts">
        <p>No process has started the run yet.</p>
      </Empty>
    )
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Attempts">
      <table className="table">
        <TableHead columns={['Attempt', 'Process', ['Finished steps', 'num'], ['Chunks kept', 'num']]} />
        <tbody>
          {attempts.map(({ epoch, process, steps, keep }) => (
            <tr key={epoch}>
              <td>
                {epoch}
                {epoch === run.epoch && run.status === 'running' && <span className="quiet"> running</span>}
              </td>
              <td>{process === null ? <span className="quiet">no finished step</span> : shortId(process)}</td>
              <td className="num">{toCount(steps)}</td>
              <td className="num">{keep === null ? '' : toCount(keep)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
