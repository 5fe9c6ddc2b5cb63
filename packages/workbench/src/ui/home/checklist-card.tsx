import { useAPI } from '@sdk/react'
import { useEffect, type ReactNode } from 'react'
import { Link } from 'wouter'
import Circle from 'lucide-react/icons/circle'
import CircleCheck from 'lucide-react/icons/circle-check'
import X from 'lucide-react/icons/x'
import type { Manifest } from '../../manifest.ts'
import type { RunSummary } from '../../run.ts'
import { useChosenIdentity } from '../data/identity.ts'
import { useDoneSteps } from '../components/use-done-steps.ts'
import { useStoredState } from '../components/stored-value.ts'
import { stepsOf } from './checklist.ts'

/** The first steps in a project. The card can be hidden, and disappears once all steps are done. */
export function ChecklistCard({ manifest, runs }: { manifest: Manifest; runs: readonly RunSummary[] }): ReactNode {
  const [isHidden, setHidden] = useStoredState(`checklist:${manifest.root}:hidden`, false)
  const [done, setDone] = useDoneSteps(manifest.root)
  const { data: users } = useAPI('GET /_workbench/api/users', { query: {}, staleTime: 10_000 })
  const isUser = useChosenIdentity().kind === 'user'
  const steps = stepsOf({ routes: manifest.routes, runs, hasAuth: users?.hasAuth === true, isUser, done })
  const finished = steps.filter(({ isDone }) => isDone).map(({ name }) => name)
  useEffect(() => {
    if (finished.some((name) => !done.includes(name))) setDone([...new Set([...done, ...finished])])
  })
  if (isHidden || steps.length === 0) return null
  return (
    <section className="card" aria-labelledby="checklist">
      <div className="section-head">
        <h2 id="checklist">
          Get started{' '}
          <span className="count">
            {finished.length} of {steps.length}
          </span>
        </h2>
        <button
          type="button"
          className="button icon small"
          aria-label="Hide the checklist"
          title="Hide the checklist"
          onClick={() => setHidden(true)}
        >
          <X size={14} aria-hidden />
        </button>
      </div>
      <ul className="checklist">
        {steps.map(({ name, title, href, isDone }) => (
          <li key={name} data-done={isDone}>
            {isDone ? (
              <CircleCheck size={15} role="img" aria-label="Done" />
            ) : (
              <Circle size={15} role="img" aria-label="To do" />
            )}
            <Link href={href}>{title}</Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
