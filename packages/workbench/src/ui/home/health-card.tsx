import type { ReactNode } from 'react'
import { Pill } from '../components/pill.tsx'
import { useHealth } from './use-health.ts'

/** Is the app alive, and ready for requests? */
export function HealthCard(): ReactNode {
  return (
    <section className="card" aria-labelledby="health">
      <h2 id="health">Health</h2>
      <ul className="health">
        <HealthLine path="/healthz" means="The process lives" />
        <HealthLine path="/readyz" means="Requests may come" />
      </ul>
    </section>
  )
}

function HealthLine({ path, means }: { path: '/healthz' | '/readyz'; means: string }): ReactNode {
  const health = useHealth(path)
  return (
    <li>
      <span>
        {means} <span className="path quiet">{path}</span>
      </span>
      {health === null ? (
        <Pill tone="quiet">…</Pill>
      ) : (
        <Pill tone={health.isGood ? 'good' : 'bad'}>{health.status}</Pill>
      )}
      {health !== null && health.failed.length > 0 && <p className="fault">Not there: {health.failed.join(', ')}</p>}
    </li>
  )
}
