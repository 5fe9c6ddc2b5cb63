import type { ReactNode } from 'react'
import type { Manifest } from '../../manifest.ts'
import { useRuns } from '../data/use-runs.ts'
import { ProblemView } from '../components/problem-view.tsx'
import { AgentTable } from './agent-table.tsx'
import { ChecklistCard } from './checklist-card.tsx'
import { HealthCard } from './health-card.tsx'
import { NoAgents } from './no-agents.tsx'
import { RecentRuns } from './recent-runs.tsx'
import './home.css'

/** How many runs the figures are made of. */
const STATS_RUNS = 200

/** The first page: how the project does. */
export function Home({ manifest }: { manifest: Manifest }): ReactNode {
  const runs = useRuns({ limit: STATS_RUNS })?.runs ?? []
  const hasAgents = manifest.routes.some(({ kind }) => kind === 'agent')
  return (
    <div className="page home">
      <header className="page-head">
        <h1>{manifest.project}</h1>
      </header>
      {manifest.problems.map((problem) => (
        <ProblemView key={`${problem.route} ${problem.file}`} problem={problem} />
      ))}
      <div className="home-columns">
        <div className="home-main">
          <section aria-labelledby="agents">
            <div className="section-head">
              <h2 id="agents">Agents</h2>
              {runs.length > 0 && (
                <span className="quiet small">
                  figures of the last {runs.length === 1 ? 'run' : `${runs.length} runs`}
                </span>
              )}
            </div>
            {hasAgents ? <AgentTable manifest={manifest} runs={runs} /> : <NoAgents canAdd={manifest.canAdd} />}
          </section>
          <RecentRuns runs={runs} />
        </div>
        <aside className="home-side" aria-label="Health and first steps">
          <ChecklistCard manifest={manifest} runs={runs} />
          <HealthCard />
        </aside>
      </div>
    </div>
  )
}
