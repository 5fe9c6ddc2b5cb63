import { useState, type ReactNode } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import type { DurableRunFilter, RunSchedule, InspectedRun } from '../../api.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { Empty } from '../components/empty.tsx'
import { toCount, toDuration, toTimestamp } from '../components/format.ts'
import { Keys } from '../components/keys.tsx'
import { SearchInput } from '../components/search-input.tsx'
import { TableHead } from '../components/table-head.tsx'
import { useHotkeys } from '../components/use-hotkeys.ts'
import { useManifest } from '../data/use-manifest.ts'
import { links } from '../links.ts'
import { FilterSelect } from '../runs/filter-bar.tsx'
import { RunsNav } from '../runs/runs-nav.tsx'
import { StatusPill } from './status-pill.tsx'
import { isKnownAgent, useDurableRuns } from './use-durable.ts'
import '../runs/runs.css'
import './durable.css'

const STATUSES: readonly InspectedRun['status'][] = ['queued', 'running', 'waiting', 'done', 'failed', 'cancelled']
const PAGE_SIZE = 100
const MAX_SIZE = 500

const EXAMPLE = `export default createAgent('research', {
  durable: true,
  async handler(ctx) {
    const plan = await ctx.step('plan', () => makePlan())
    return plan
  },
})`

/** A live list of durable runs, and the next ticks of schedules. */
export function DurablePage(): ReactNode {
  const [search, setSearch] = useSearchParams()
  const [limit, setLimit] = useState(PAGE_SIZE)
  const filter = toFilter(search)
  const list = useDurableRuns({ ...filter, limit })
  const runs = list?.runs ?? []
  const isFiltered = Object.keys(filter).length > 0
  const set = (name: keyof DurableRunFilter) => (value: string) =>
    setSearch(toSearch({ ...filter, [name]: value }), { replace: true })
  return (
    <div className="page">
      <header className="page-head">
        <h1>
          Durable runs{' '}
          <span className="count">{list === undefined ? '' : `${toCount(runs.length)}${list.hasMore ? '+' : ''}`}</span>
        </h1>
        <span className="key-hints quiet small">
          <Keys of="j k" /> move <Keys of="Enter" /> open
        </span>
      </header>
      <RunsNav />
      <DurableFilters filter={filter} runs={runs} set={set} />
      {list !== undefined && list.schedules.length > 0 && <Schedules schedules={list.schedules} />}
      {runs.length > 0 && <DurableTable runs={runs} />}
      {list?.hasMore === true && limit < MAX_SIZE && (
        <button type="button" className="button" onClick={() => setLimit(limit + PAGE_SIZE)}>
          Load more
        </button>
      )}
      {list !== undefined && runs.length === 0 && <NoDurableRuns isFiltered={isFiltered} isStored={list.isStored} />}
    </div>
  )
}

function toFilter(search: URLSearchParams): DurableRunFilter {
  const [agent, thread] = [search.get('agent'), search.get('thread')]
  const status = STATUSES.find((one) => one === search.get('status'))
  return {
    ...(agent !== null && { agent }),
    ...(status !== undefined && { status }),
    ...(thread !== null && { thread }),
  }
}

function toSearch(filter: DurableRunFilter): URLSearchParams {
  return new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '') as [string, string][])
}

interface DurableFiltersProps {
  readonly filter: DurableRunFilter
  readonly runs: readonly InspectedRun[]
  readonly set: (name: keyof DurableRunFilter) => (value: string) => void
}

function DurableFilters({ filter, runs, set }: DurableFiltersProps): ReactNode {
  const known = useManifest()?.routes.flatMap(
    ({ route }) => /^DELETE \/agent\/([^/]+)\/runs\/:run$/.exec(route)?.[1] ?? [],
  )
  const agents = [...new Set([...(known ?? []), ...runs.map(({ agent }) => agent)])].toSorted()
  return (
    <div role="search" className="toolbar run-filters">
      <SearchInput label="Thread" placeholder="Id of a thread" value={filter.thread ?? ''} onChange={set('thread')} />
      <FilterSelect label="Agent" all="All agents" value={filter.agent} options={agents} onChange={set('agent')} />
      <FilterSelect label="Status" all="Any status" value={filter.status} options={STATUSES} onChange={set('status')} />
    </div>
  )
}

function DurableTable({ runs }: { runs: readonly InspectedRun[] }): ReactNode {
  const manifest = useManifest()
  const [, go] = useLocation()
  const [selected, setSelected] = useState<string | null>(null)
  const at = runs.findIndex(({ id }) => id === selected)
  const move = (to: number) => (): void => setSelected(runs[Math.min(runs.length - 1, Math.max(0, to))]?.id ?? null)
  const open = (): void => (selected === null ? undefined : go(links.durableRun(selected)))
  useHotkeys({ j: move(at + 1), k: move(at - 1), Enter: open })
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Durable runs">
      <table className="table durable-table">
        <TableHead
          columns={[
            'Status',
            'Agent',
            'Run',
            'Thread',
            ['Steps', 'num'],
            ['Attempts', 'num'],
            ['Time', 'num'],
            ['Created', 'num'],
          ]}
        />
        <tbody>
          {runs.map((run) => (
            <DurableRow
              key={run.id}
              run={run}
              isSelected={run.id === selected}
              isKnown={isKnownAgent(manifest, run.agent)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface DurableRowProps {
  readonly run: InspectedRun
  readonly isSelected: boolean
  readonly isKnown: boolean
}

function DurableRow({ run, isSelected, isKnown }: DurableRowProps): ReactNode {
  const { id, agent, status, thread, stepCount, epoch, createdAt, endedAt } = run
  return (
    <tr data-selected={isSelected}>
      <td>
        <StatusPill status={status} />
      </td>
      <td>
        {agent}
        {!isKnown && endedAt === null && <span className="agent-missing"> not in this app</span>}
      </td>
      <td>
        <Link className="durable-id" href={links.durableRun(id)} aria-current={isSelected ? 'true' : undefined}>
          {id}
        </Link>
      </td>
      <td>{thread !== null && <Link href={links.durableThread(thread)}>{thread}</Link>}</td>
      <td className="num">{toCount(stepCount)}</td>
      <td className="num">{toCount(epoch)}</td>
      <td className="num">{endedAt === null ? '…' : toDuration(Date.parse(endedAt) - Date.parse(createdAt))}</td>
      <td className="num">{toTimestamp(Date.parse(createdAt))}</td>
    </tr>
  )
}

function Schedules({ schedules }: { schedules: readonly RunSchedule[] }): ReactNode {
  return (
    <section className="card" aria-label="Schedules">
      <h2>Schedules</h2>
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Next ticks">
        <table className="table">
          <TableHead columns={['Agent', 'Schedule', 'Next ticks']} />
          <tbody>
            {schedules.map(({ agent, schedule, next }) => (
              <tr key={`${agent} ${schedule}`}>
                <td>{agent}</td>
                <td>
                  <code>{schedule}</code>
                </td>
                <td>{next.length === 0 ? 'never' : next.map((time) => toTimestamp(Date.parse(time))).join(' · ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function NoDurableRuns({ isFiltered, isStored }: { isFiltered: boolean; isStored: boolean }): ReactNode {
  if (isFiltered)
    return (
      <Empty title="No matching durable runs">
        <p>Remove some filters to see more runs.</p>
      </Empty>
    )
  if (isStored)
    return (
      <Empty title="No durable runs yet">
        <p>Call a durable agent: its runs appear here with their steps, also those that a schedule starts.</p>
      </Empty>
    )
  return (
    <Empty title="No durable agents yet">
      <p>The run of a durable agent survives a reload of the page and the end of the process.</p>
      <CodeBlock title="Make an agent durable" code={EXAMPLE} />
    </Empty>
  )
}
