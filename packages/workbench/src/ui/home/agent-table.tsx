import type { ReactNode } from 'react'
import { Link } from 'wouter'
import CircleX from 'lucide-react/icons/circle-x'
import type { Manifest } from '../../manifest.ts'
import type { RunSummary } from '../../run.ts'
import { linkTo } from '../links.ts'
import { toDuration, toTimestamp } from '../components/format.ts'
import { Pill } from '../components/pill.tsx'
import { shortName } from '../components/route-name.tsx'
import { Sparkline } from '../components/sparkline.tsx'
import { statsOf } from './agent-stats.ts'
import { TableHead } from '../components/table-head.tsx'

/** All agents with their recent statistics. */
export function AgentTable({ manifest, runs }: { manifest: Manifest; runs: readonly RunSummary[] }): ReactNode {
  const broken = new Set(manifest.problems.map(({ route }) => route))
  return (
    <table className="table agents">
      <TableHead
        columns={[
          'Agent',
          [
            <span key="latency" className="unseen">
              Latency
            </span>,
            'wide-only',
          ],
          ['p50', 'num'],
          ['Failed', 'num'],
          ['Last run', 'num wide-only'],
        ]}
      />
      <tbody>
        {manifest.routes
          .filter(({ kind }) => kind === 'agent')
          .map((info) => (
            <AgentRow key={info.route} info={info} isBroken={broken.has(info.route)} runs={runs} />
          ))}
      </tbody>
    </table>
  )
}

interface AgentRowProps {
  readonly info: Manifest['routes'][number]
  readonly isBroken: boolean
  readonly runs: readonly RunSummary[]
}

function AgentRow({ info, isBroken, runs }: AgentRowProps): ReactNode {
  const { count, lastAt, p50, failed, refused, times } = statsOf(runs, info.route)
  const name = shortName(info.route)
  return (
    <tr>
      <td>
        <Link className="agent-name" href={linkTo(info)}>
          {name}
          {isBroken && <CircleX className="mark" size={14} role="img" aria-label="failed to load" />}
        </Link>
        {info.description !== undefined && (
          <p className="quiet small" title={info.description}>
            {info.description}
          </p>
        )}
      </td>
      <td className="wide-only">
        {times.length > 1 && <Sparkline values={times} label={`Durations of recent ${name} runs`} />}
      </td>
      <td className="num">{p50 === null ? NONE : toDuration(p50)}</td>
      <td className="num">
        {failed > 0 && <Pill tone="bad">{`${failed} of ${count}`}</Pill>}
        {refused > 0 && <Pill tone="warn">{`${refused} refused`}</Pill>}
        {failed + refused === 0 && NONE}
      </td>
      <td className="num wide-only">{lastAt === null ? NONE : toTimestamp(lastAt)}</td>
    </tr>
  )
}

const NONE = <span className="quiet">–</span>
