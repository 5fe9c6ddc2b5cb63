import ChevronRight from 'lucide-react/icons/chevron-right'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ErrorGroup } from '../../api.ts'
import { links } from '../links.ts'
import { EditorLink } from '../components/editor-link.tsx'
import { toTimestamp } from '../components/format.ts'
import { RouteName } from '../components/route-name.tsx'
import { Sparkline } from '../components/sparkline.tsx'
import { ErrorStack } from '../run/error/error-stack.tsx'
import { withFilter } from '../runs/filter-address.ts'
import { toBuckets } from './error-filter.ts'

interface ErrorCardProps {
  readonly group: ErrorGroup
  /** The known start times of the group's runs. */
  readonly times: readonly number[]
  readonly isOpen: boolean
  readonly onToggle: () => void
}

/** A group of runs that failed with the same error, with its count, times and source location. */
export function ErrorCard({ group, times, isOpen, onToggle }: ErrorCardProps): ReactNode {
  const { error, route, count, lastAt, key } = group
  const own = error.frames.find(({ isForeign }) => !isForeign)
  return (
    <article className="error-card" aria-label={error.message}>
      <h2>
        <button type="button" aria-expanded={isOpen} aria-controls={`error-${key}`} onClick={onToggle}>
          <ChevronRight size={14} aria-hidden />
          <span>
            <span className="error-name">{error.code ?? error.name}</span> {error.message}
          </span>
        </button>
      </h2>
      <p className="error-facts">
        <span className="pill" data-tone="bad">
          {count} ×
        </span>
        {route !== null && <RouteName route={route} />}
        {own !== undefined && <EditorLink file={own.file} line={own.line} column={own.column} />}
        <span className="quiet small">last {toTimestamp(lastAt)}</span>
        {times.length > 1 && <Sparkline values={toBuckets(times, 16)} label={`${times.length} runs over time`} />}
      </p>
      {isOpen && (
        <div className="error-detail" id={`error-${key}`}>
          <ErrorStack error={error} />
          <Runs group={group} />
        </div>
      )}
    </article>
  )
}

function Runs({ group: { runIds, count, route, firstAt } }: { group: ErrorGroup }): ReactNode {
  return (
    <p className="error-runs small">
      <span className="quiet">First {toTimestamp(firstAt)}. Runs:</span>
      {runIds.map((id) => (
        <Link key={id} className="link num" href={links.run(id)}>
          {id}
        </Link>
      ))}
      {count > runIds.length && route !== null && (
        <Link className="link" href={withFilter(links.runs, { route, status: 'failed' })}>
          all {count}
        </Link>
      )}
    </p>
  )
}
