import type { ReactNode } from 'react'
import type { Manifest } from '../../manifest.ts'
import { useRuns } from '../data/use-runs.ts'
import { ProblemView } from '../components/problem-view.tsx'
import { AgentTable } from './agent-table.tsx'
import { ChecklistCard } from './checklist-card.tsx'
import { HealthCard } from './health-card.tsx'
import { useAPI } from '@sdk/react'
import { useLocation, Link } from 'wouter'
import { links } from '../links.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { Empty } from '../components/empty.tsx'
import { showToast } from '../components/toast.ts'
import type { RunSummary } from '../../run.ts'
import { toDuration, toTimestamp } from '../components/format.ts'
import { RunPill } from '../components/pill.tsx'
import { calledBy, RouteName } from '../components/route-name.tsx'
import { TableHead } from '../components/table-head.tsx'
import './home.css'

const STATS_RUNS = 200

/** The home page: an overview of the project. */
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
                  statistics for the last {runs.length === 1 ? 'run' : `${runs.length} runs`}
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

/** An empty state that explains how to create the first agent and has a button that creates it. */
function NoAgents({ canAdd }: { canAdd: boolean }): ReactNode {
  const [, go] = useLocation()
  const { invoke, isLoading, error } = useAPI('POST /_workbench/api/agents')

  function add(): void {
    invoke({ name: 'hello' }).then(
      ({ files }) => {
        showToast(`Wrote ${files.join(', ')}`)
        go(links.agent('hello'))
      },
      () => {}, // the error is part of the call's state
    )
  }

  return (
    <Empty title="No agents yet">
      <p>An agent is a function with a name, an input and an output. Create the first one:</p>
      <CodeBlock title="In a terminal, in your project" code="npx sdk add agent hello" />
      {canAdd && (
        <button type="button" className="button primary" disabled={isLoading} onClick={add}>
          Add the agent “hello”
        </button>
      )}
      {error !== null && (
        <p className="fault" role="alert">
          {error.message}
        </p>
      )}
    </Empty>
  )
}

/** The maximum number of runs shown. All runs are listed on the Runs page. */
const MAX_RECENT = 8

function RecentRuns({ runs }: { runs: readonly RunSummary[] }): ReactNode {
  return (
    <section aria-labelledby="recent">
      <div className="section-head">
        <h2 id="recent">Recent runs</h2>
        <Link className="link small" href={links.runs}>
          All runs
        </Link>
      </div>
      {runs.length === 0 ? (
        <p className="quiet">No runs yet. Call your app or run an agent: every call appears here.</p>
      ) : (
        <table className="table runs-table">
          <TableHead
            columns={['Status', 'Route', ['Caller', 'wide-only'], ['Time', 'num'], ['Started', 'num wide-only']]}
          />
          <tbody>
            {runs.slice(0, MAX_RECENT).map((run) => (
              <RecentRunRow key={run.id} run={run} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function RecentRunRow({ run }: { run: RunSummary }): ReactNode {
  const { id, caller, ms, startedAt } = run
  return (
    <tr>
      <td>
        <RunPill run={run} />
      </td>
      <td>
        <Link href={links.run(id)}>
          <RouteName route={calledBy(run)} />
        </Link>
      </td>
      <td className="quiet wide-only">{caller}</td>
      <td className="num">{ms === null ? '…' : toDuration(ms)}</td>
      <td className="num wide-only">{toTimestamp(startedAt)}</td>
    </tr>
  )
}
