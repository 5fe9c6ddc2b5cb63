import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { RunHeaders } from '../../run.ts'
import { links } from '../links.ts'
import { Pill } from '../components/pill.tsx'
import { withFilter } from '../runs/filter-address.ts'
import type { OperationInfo } from './operation-info.ts'

interface RouteSummaryProps {
  readonly route: string
  readonly info: OperationInfo
  /** Of the last answer. */
  readonly headers: RunHeaders
}

/** The info of a route in one line: who may call it, how often, and whether it is deprecated. */
export function RouteSummary({ route, info, headers }: RouteSummaryProps): ReactNode {
  const policy = headers.find(([name]) => name === 'ratelimit-policy')?.[1]
  return (
    <p className="route-info small quiet">
      {info.isDeprecated && <Pill tone="warn">deprecated</Pill>}
      {info.auth !== null && <span>{AUTH_LABELS[info.auth]}</span>}
      {info.isLimited && (
        <span>rate limit: {policy === undefined ? 'the answer tells it' : <span className="mono">{policy}</span>}</span>
      )}
      <Link className="link" href={withFilter(links.runs, { route })}>
        runs
      </Link>
      {!info.isDocumented && <span>not in the document: path, query and body are free</span>}
    </p>
  )
}

const AUTH_LABELS = {
  required: 'auth: a token or a session cookie is required',
  optional: 'auth: a token or a session cookie, if the route wants one',
} as const
