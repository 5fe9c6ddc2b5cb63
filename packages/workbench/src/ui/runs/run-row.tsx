import Check from 'lucide-react/icons/check'
import Pin from 'lucide-react/icons/pin'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { RunSummary } from '../../run.ts'
import { toCount, toDuration, toTimestamp, toSize } from '../components/format.ts'
import { RunPill } from '../components/pill.tsx'
import { RouteName } from '../components/route-name.tsx'

interface RunRowProps {
  readonly run: RunSummary
  readonly href: string
  readonly isSelected: boolean
  readonly isMarked: boolean
  readonly onMark: () => void
  readonly onOpen: () => void
  readonly onPin: () => void
}

/** A run on one line, or on two lines in narrow windows. */
export function RunRow({ run, href, isSelected, isMarked, onMark, onOpen, onPin }: RunRowProps): ReactNode {
  const name = nameOf(run)
  return (
    <div className="run-row" role="none" data-selected={isSelected} data-state={run.state}>
      <span role="cell" className="cell-control">
        <button
          type="button"
          role="checkbox"
          className="mark-box"
          aria-checked={isMarked}
          aria-label={`Compare ${name}, ${run.id}`}
          onClick={onMark}
        >
          {isMarked && <Check size={12} aria-hidden />}
        </button>
      </span>
      <span role="cell" className="cell-state">
        <RunPill run={run} />
      </span>
      <RouteCell run={run} href={href} isSelected={isSelected} onOpen={onOpen} />
      <span role="cell" className="cell-ms">
        {run.ms === null ? '…' : toDuration(run.ms)}
      </span>
      <span role="cell" className="cell-size">
        {sizeText(run)}
      </span>
      <span role="cell" className="cell-caller">
        {run.caller}
      </span>
      <span role="cell" className="cell-who">
        {identityLabel(run)}
      </span>
      <span role="cell" className="cell-time">
        {toTimestamp(run.startedAt)}
      </span>
      <span role="cell" className="cell-revision">
        r{run.revision}
      </span>
      <span role="cell" className="cell-control">
        <button
          type="button"
          className="button icon small pin"
          aria-pressed={run.isPinned}
          aria-label={`Pin ${name}, ${run.id}`}
          title={run.isPinned ? 'Unpin this run so that it can be deleted' : 'Pin this run to keep it'}
          onClick={onPin}
        >
          <Pin size={13} aria-hidden />
        </button>
      </span>
    </div>
  )
}

function RouteCell({ run, href, isSelected, onOpen }: Omit<RunRowProps, 'isMarked' | 'onMark' | 'onPin'>): ReactNode {
  return (
    <span role="cell" className="cell-control">
      <Link
        className="cell-route"
        href={href}
        onClick={onOpen}
        title={run.target}
        aria-current={isSelected ? 'true' : undefined}
      >
        <RouteName route={nameOf(run)} />
        {isPattern(run) && <span className="cell-target">{run.target}</span>}
        {run.error !== null && <span className="cell-error">{run.error}</span>}
      </Link>
    </span>
  )
}

function nameOf({ route, method, target }: RunSummary): string {
  return route ?? `${method} ${target}`
}

/** Returns a label for the user who made the call. */
export function identityLabel({ identity }: Pick<RunSummary, 'identity'>): string {
  return identity === null ? 'anonymous' : (identity.email ?? identity.name ?? identity.userId)
}

/** Returns whether the route's name differs from the path that was called. */
function isPattern({ route, target }: RunSummary): boolean {
  return route !== null && !route.endsWith(` ${target}`) && route !== target
}

function sizeText({ bytes, chunks, kind }: RunSummary): string {
  if (chunks === 0) return toSize(bytes)
  return `${toSize(bytes)} · ${toCount(chunks)} ${kind === 'socket' ? 'fr' : 'ch'}`
}
