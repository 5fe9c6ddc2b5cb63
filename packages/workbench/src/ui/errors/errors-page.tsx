import { useAPI } from '@sdk/react'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useEvents } from '../data/use-events.ts'
import { useRuns } from '../data/use-runs.ts'
import { links } from '../links.ts'
import { Empty } from '../components/empty.tsx'
import { ErrorCard } from './error-card.tsx'
import { filterErrorGroups } from './error-filter.ts'
import { SearchInput } from '../components/search-input.tsx'
import './errors.css'

/** The errors page: failed runs, grouped by their error. */
export function ErrorsPage(): ReactNode {
  const [search, setSearch] = useSearchParams()
  const { data, error, refetch } = useAPI('GET /_workbench/api/errors')
  const failed = useRuns({ status: 'failed', limit: 500 })
  useEvents('run', ({ state }) => {
    if (state === 'failed') void refetch()
  })
  useEvents('cleared', () => void refetch())
  const times = new Map(failed?.runs.map(({ id, startedAt }) => [id, startedAt]))
  const [text, key] = [search.get('search') ?? '', search.get('key')]
  const groups = filterErrorGroups(data?.groups ?? [], text)
  const show = (next: Record<string, string | null>): void => {
    const both = Object.entries({ search: text, key, ...next }).flatMap(([name, value]) =>
      value ? [[name, value]] : [],
    )
    setSearch(new URLSearchParams(both), { replace: true })
  }
  return (
    <div className="page errors">
      <header className="page-head">
        <h1>
          Errors <span className="count">{data?.groups.length ?? ''}</span>
        </h1>
      </header>
      {error !== null && error !== undefined && (
        <p className="notice" data-tone="bad">
          {error.message}
        </p>
      )}
      {data !== undefined && data.groups.length === 0 && <NothingFailed />}
      {data !== undefined && data.groups.length > 0 && (
        <div role="search" className="toolbar">
          <SearchInput
            label="Search errors"
            placeholder="Search by message, route or file"
            value={text}
            onChange={(next) => show({ search: next })}
          />
        </div>
      )}
      {groups.map((group) => (
        <ErrorCard
          key={group.key}
          group={group}
          times={group.runIds.flatMap((id) => times.get(id) ?? [])}
          isOpen={group.key === key}
          onToggle={() => show({ key: group.key === key ? null : group.key })}
        />
      ))}
      {data !== undefined && data.groups.length > 0 && groups.length === 0 && <Empty title="No matching errors" />}
    </div>
  )
}

function NothingFailed(): ReactNode {
  return (
    <Empty title="No errors">
      <p>
        Errors thrown by handlers, and responses with status 500 or above, are listed here with their location.
        Responses with status 4xx are not errors: see <Link href={`${links.runs}?status=refused`}>refused runs</Link>.
      </p>
    </Empty>
  )
}
