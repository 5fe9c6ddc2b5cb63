import { useAPI } from '@sdk/react'
import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import Pin from 'lucide-react/icons/pin'
import RotateCw from 'lucide-react/icons/rotate-cw'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Run } from '../../run.ts'
import { linkTo, links } from '../links.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { shortName } from '../components/route-name.tsx'
import { withFilter, type AddressFilter } from './filter-address.ts'

interface RunActionsProps {
  readonly run: Run
  readonly filter: AddressFilter
  readonly neighbours: ReturnType<typeof useNeighbours>
  readonly onPin: () => void
}

/** Actions for a run, and links to the next newer and older runs. */
export function RunActions({ run, filter, neighbours: { newer, older }, onPin }: RunActionsProps): ReactNode {
  const again = againLink(run)
  return (
    <div className="actions">
      {again !== null && (
        <Link className="button primary" href={again}>
          <RotateCw size={13} aria-hidden />
          Run again
        </Link>
      )}
      <button type="button" className="button" aria-pressed={run.isPinned} onClick={onPin}>
        <Pin size={13} aria-hidden />
        {run.isPinned ? 'Pinned' : 'Pin'}
      </button>
      <Link className="button" href={links.compare(run.id)}>
        Compare
      </Link>
      <CopyButton label="Copy link" text={() => location.href} />
      <NeighbourLink to={newer} filter={filter} label="Newer run" icon={<ChevronLeft size={15} aria-hidden />} />
      <NeighbourLink to={older} filter={filter} label="Older run" icon={<ChevronRight size={15} aria-hidden />} />
    </div>
  )
}

interface NeighbourLinkProps {
  readonly to: string | null
  readonly filter: AddressFilter
  readonly label: string
  readonly icon: ReactNode
}

function NeighbourLink({ to, filter, label, icon }: NeighbourLinkProps): ReactNode {
  if (to === null) {
    return (
      <button type="button" className="button icon" disabled aria-label={label}>
        {icon}
      </button>
    )
  }
  return (
    <Link className="button icon" href={withFilter(links.run(to), filter)} aria-label={label} title={label}>
      {icon}
    </Link>
  )
}

/** Returns the link for repeating a call with its input. For a socket, which has no input, the link opens its page. */
function againLink({ id, route, kind }: Run): string | null {
  if (route === null) return null
  if (kind === 'agent') return links.agent(shortName(route), id)
  return kind === 'socket' ? linkTo({ route, kind }) : `${links.route(route)}&run=${id}`
}

/**
 * Returns the ids of the next newer and older runs in the list from which a run was opened. The list is not updated
 * live.
 */
export function useNeighbours(id: string, filter: AddressFilter): { newer: string | null; older: string | null } {
  const { data } = useAPI('GET /_workbench/api/runs', { query: { ...filter, limit: 500 }, staleTime: 60_000 })
  const ids = data?.runs.map((run) => run.id) ?? []
  const index = ids.indexOf(id)
  if (index === -1) return { newer: null, older: null }
  return { newer: ids[index - 1] ?? null, older: ids[index + 1] ?? null }
}
