import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { links } from '../links.ts'

const LISTS = [
  { name: 'Calls', href: links.runs },
  { name: 'Durable', href: links.durableRuns },
]

/** Links to the two lists of runs: recorded calls, and durable runs in the database. */
export function RunsNav(): ReactNode {
  const [location] = useLocation()
  return (
    <nav className="runs-nav" aria-label="Kinds of runs">
      {LISTS.map(({ name, href }) => (
        <Link key={href} href={href} aria-current={location === href ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
