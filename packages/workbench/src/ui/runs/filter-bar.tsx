import type { ReactNode } from 'react'
import type { RunSummary } from '../../run.ts'
import { useManifest } from '../data/use-manifest.ts'
import { toDuration } from '../components/format.ts'
import type { AddressFilter } from './filter-address.ts'
import type { Feed } from './run-feed.ts'
import { SearchInput } from '../components/search-input.tsx'

interface FilterBarProps {
  readonly filter: AddressFilter
  readonly feed: Feed
  readonly onChange: (next: AddressFilter) => void
}

const STATES = ['running', 'done', 'failed', 'refused', 'cancelled']
const DURATIONS = ['100', '500', '1000', '5000']

/** The filters for the list of runs. */
export function FilterBar({ filter, feed, onChange }: FilterBarProps): ReactNode {
  const manifest = useManifest()
  const routes = manifest?.routes.filter(({ kind }) => kind !== 'resource').map(({ route }) => route) ?? []
  const set = (name: keyof AddressFilter) => (value: string) =>
    onChange({ ...filter, [name]: name === 'slower' ? Number(value) : value })
  const selects = [
    { name: 'route', label: 'Route', all: 'All routes', options: routes },
    { name: 'status', label: 'Status', all: 'Any status', options: [...STATES, ...statusesOf(feed.runs)] },
    { name: 'caller', label: 'Caller', all: 'Any caller', options: feed.head?.callers ?? [] },
    { name: 'identity', label: 'Identity', all: 'Any identity', options: ['anonymous', ...identitiesOf(feed.runs)] },
    { name: 'slower', label: 'Duration', all: 'Any duration', options: DURATIONS, text: toSlower },
  ] as const
  const { requestId = '' } = filter
  return (
    <div role="search" className="toolbar run-filters">
      <SearchInput
        label="Search runs"
        placeholder="Search by path or error"
        value={filter.search ?? ''}
        onChange={set('search')}
      />
      {selects.map(({ name, ...select }) => (
        <FilterSelect key={name} {...select} value={filter[name]?.toString()} onChange={set(name)} />
      ))}
      {requestId !== '' && <span className="pill">request {requestId.slice(0, 8)}</span>}
      {Object.keys(filter).length > 0 && (
        <button type="button" className="button quiet small" onClick={() => onChange({})}>
          Clear filters
        </button>
      )}
    </div>
  )
}

interface FilterSelectProps {
  readonly label: string
  /** The label of the option that removes the filter. */
  readonly all: string
  readonly value: string | undefined
  readonly options: readonly string[]
  readonly text?: (option: string) => string
  readonly onChange: (value: string) => void
}

/** A select element for choosing one or all options. The value in the URL is always offered, even if no run has it. */
export function FilterSelect({ label, all, value = '', options, text, onChange }: FilterSelectProps): ReactNode {
  const every = new Set(value === '' ? options : [...options, value])
  return (
    <select
      aria-label={label}
      value={value}
      data-is-set={value !== ''}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{all}</option>
      {[...every].map((option) => (
        <option key={option} value={option}>
          {text?.(option) ?? option}
        </option>
      ))}
    </select>
  )
}

function toSlower(ms: string): string {
  return `at least ${toDuration(Number(ms))}`
}

function statusesOf(runs: readonly RunSummary[]): string[] {
  const statuses = new Set(runs.map(({ status }) => status).filter((status) => status > 0))
  return [...statuses].toSorted((a, b) => a - b).map(String)
}

function identitiesOf(runs: readonly RunSummary[]): string[] {
  return [...new Set(runs.flatMap(({ identity }) => (identity === null ? [] : [identity.email ?? identity.userId])))]
}
