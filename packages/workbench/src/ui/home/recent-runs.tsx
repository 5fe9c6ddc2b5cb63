import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { RunSummary } from '../../run.ts'
import { links } from '../links.ts'
import { toDuration, toTimestamp } from '../components/format.ts'
import { RunPill } from '../components/pill.tsx'
import { calledBy, RouteName } from '../components/route-name.tsx'

/** So many are shown; all are on their page. */
const MAX_RECENT = 8

/** What was called last, by whoever called. */
export function RecentRuns({ runs }: { runs: readonly RunSummary[] }): ReactNode {
  return (
    <section aria-labelledby="recent">
      <div className="section-head">
        <h2 id="recent">Recent runs</h2>
        <Link className="link small" href={links.runs}>
          All runs
        </Link>
      </div>
      {runs.length === 0 ? (
        <p className="quiet">Nothing yet. Call your app or run an agent: whoever calls, it appears here.</p>
      ) : (
        <table className="table runs-table">
          <thead>
            <tr>
              <th scope="col">Status</th>
              <th scope="col">Route</th>
              <th scope="col" className="wide-only">
                Caller
              </th>
              <th scope="col" className="num">
                Took
              </th>
              <th scope="col" className="num wide-only">
                At
              </th>
            </tr>
          </thead>
          <tbody>
            {runs.slice(0, MAX_RECENT).map((run) => (
              <RecentRunRow key={run.id} run={run} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function RecentRunRow({ run }: { run: RunSummary }): ReactNode {
  const { id, caller, ms, startedAt } = run
  return (
    <tr>
      <td>
        <RunPill run={run} />
      </td>
      <td>
        <Link href={links.run(id)}>
          <RouteName route={calledBy(run)} />
        </Link>
      </td>
      <td className="quiet wide-only">{caller}</td>
      <td className="num">{ms === null ? '…' : toDuration(ms)}</td>
      <td className="num wide-only">{toTimestamp(startedAt)}</td>
    </tr>
  )
}
