import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { RunHeaders } from '../../run.ts'
import { links } from '../links.ts'
import { Pill } from '../parts/pill.tsx'
import { withFilter } from '../runs/filter-address.ts'
import type { OperationFacts } from './operation-facts.ts'

interface RouteFactsProps {
  readonly route: string
  readonly facts: OperationFacts
  /** Of the last answer. */
  readonly headers: RunHeaders
}

/** The facts of a route in one line: who may call it, how often, and whether it is deprecated. */
export function RouteFacts({ route, facts, headers }: RouteFactsProps): ReactNode {
  const policy = headers.find(([name]) => name === 'ratelimit-policy')?.[1]
  return (
    <p className="route-facts small quiet">
      {facts.isDeprecated && <Pill tone="warn">deprecated</Pill>}
      {facts.auth !== null && <span>{AUTH[facts.auth]}</span>}
      {facts.isLimited && (
        <span>rate limit: {policy === undefined ? 'the answer tells it' : <span className="mono">{policy}</span>}</span>
      )}
      <Link className="link" href={withFilter(links.runs, { route })}>
        runs
      </Link>
      {!facts.isDocumented && <span>not in the document: path, query and body are free</span>}
    </p>
  )
}

const AUTH = {
  required: 'auth: a token or a session cookie is required',
  optional: 'auth: a token or a session cookie, if the route wants one',
} as const
