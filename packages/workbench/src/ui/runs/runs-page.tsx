import type { ReactNode } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { RunSummary } from '../../run.ts'
import { links } from '../links.ts'
import { Empty } from '../components/empty.tsx'
import { FilterBar } from './filter-bar.tsx'
import { toAddress, fromAddress, withFilter } from './filter-address.ts'
import { RunRow } from './run-row.tsx'
import { RunTable, usePausedList } from './run-table.tsx'
import { RunsBar } from './runs-bar.tsx'
import { RunsNav } from './runs-nav.tsx'
import { useFeed } from './use-feed.ts'
import { usePin, useSelection } from './use-selection.ts'
import { useManifest } from '../data/use-manifest.ts'
import { EMPTY_INPUT } from '../input/call-input.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { snippetsOf } from '../run/code/snippets.ts'
import './runs.css'

/** A live list of all calls. */
export function RunsPage(): ReactNode {
  const [search, setSearch] = useSearchParams()
  const [, go] = useLocation()
  const filter = fromAddress(search)
  const { feed, isLoading, loadOlder, take } = useFeed(filter)
  const isEmpty = feed.head !== undefined && feed.runs.length === 0
  const hold = usePausedList(feed)
  const pin = usePin(take)
  const hrefOf = ({ id }: RunSummary): string => withFilter(links.run(id), filter)
  const { selected, marked, mark, select } = useSelection(hold.shown, { open: (run) => go(hrefOf(run)), pin })

  const row = (run: RunSummary): ReactNode => (
    <RunRow
      run={run}
      href={hrefOf(run)}
      isSelected={run.id === selected}
      isMarked={marked.includes(run.id)}
      onMark={() => mark(run.id)}
      onOpen={() => select(run.id)}
      onPin={() => pin(run)}
    />
  )

  return (
    <div className="page full runs">
      <RunsBar feed={feed} isPaused={hold.isPaused} onPause={hold.pause} marked={marked} />
      <RunsNav />
      <FilterBar filter={filter} feed={feed} onChange={(next) => setSearch(toAddress(next), { replace: true })} />
      {feed.runs.length > 0 && (
        <RunTable
          hold={hold}
          selected={selected}
          onRelease={() => select(null)}
          row={row}
          more={feed.hasMore ? { isLoading, load: loadOlder } : null}
        />
      )}
      {isEmpty && search.size === 0 && <NoRuns />}
      {isEmpty && search.size > 0 && (
        <Empty title="No matching runs">
          <p className="quiet">Remove some filters to see more runs.</p>
        </Empty>
      )}
    </div>
  )
}

/** An empty state that explains how to call an existing route. */
function NoRuns(): ReactNode {
  const routes = useManifest()?.routes ?? []
  const route = (
    routes.find(({ kind }) => kind === 'agent') ?? routes.find(({ route: name }) => name.startsWith('GET '))
  )?.route
  const input = { ...EMPTY_INPUT, body: '{}' }
  const code = route === undefined ? undefined : snippetsOf(route, input).find(({ title }) => title === 'curl')?.code
  return (
    <Empty title="No runs yet">
      <p className="quiet">Call your app or press Run: every call is recorded here.</p>
      {code !== undefined && <CodeBlock title="Call it from a terminal" code={code} />}
    </Empty>
  )
}
