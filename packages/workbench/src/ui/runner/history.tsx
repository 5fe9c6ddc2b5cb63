import { useState, type ReactNode } from 'react'
import Pin from 'lucide-react/icons/pin'
import { Link } from 'wouter'
import type { RunSummary } from '../../run.ts'
import { useRuns } from '../data/use-runs.ts'
import { links } from '../links.ts'
import { quantile, toChunks, toDuration, toTimestamp, toSize } from '../components/format.ts'
import { RunPill } from '../components/pill.tsx'
import { Sparkline } from '../components/sparkline.tsx'
import type { RunnerState } from './use-runner.ts'

const MAX_HISTORY = 30

/** This agent's runs, newest first. They can be opened or compared. */
export function History({ route, runner }: { route: string; runner: RunnerState }): ReactNode {
  const [picked, setPicked] = useState<readonly string[]>([])
  const runs = useRuns({ route, limit: MAX_HISTORY })?.runs ?? []
  const times = runs.flatMap(({ ms, state }) => (ms === null || state === 'cancelled' ? [] : [ms])).toReversed()
  const [a, b] = picked
  // Only two runs can be compared, so a third one replaces the first.
  const pick = (id: string): void =>
    setPicked(picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id].slice(-2))
  return (
    <section className="history" aria-label="History">
      <header>
        <h2>History</h2>
        <span className="count">{runs.length}</span>
        {times.length > 1 && (
          <>
            <Sparkline values={times} label={`Durations of the last ${times.length} runs`} />
            <span className="quiet num">p50 {toDuration(quantile(times, 0.5))}</span>
          </>
        )}
        {a !== undefined && b !== undefined ? (
          <Link className="button small" href={links.compare(a, b)}>
            Compare selected
          </Link>
        ) : (
          a !== undefined && <span className="quiet small">Select another run to compare</span>
        )}
      </header>
      {runs.length === 0 ? (
        <p className="quiet">All runs of this agent are listed here.</p>
      ) : (
        <ol>
          {runs.map((run) => (
            <HistoryRow
              key={run.id}
              run={run}
              isShown={run.id === runner.runId}
              isPicked={picked.includes(run.id)}
              onShow={() => runner.show(run.id)}
              onPick={() => pick(run.id)}
            />
          ))}
        </ol>
      )}
    </section>
  )
}

interface HistoryRowProps {
  readonly run: RunSummary
  readonly isShown: boolean
  readonly isPicked: boolean
  readonly onShow: () => void
  readonly onPick: () => void
}

function HistoryRow({ run, isShown, isPicked, onShow, onPick }: HistoryRowProps): ReactNode {
  const { startedAt, ms, bytes, chunks, caller, identity, error, isPinned } = run
  const moment = toTimestamp(startedAt)
  return (
    <li data-selected={isShown}>
      <input type="checkbox" aria-label={`Compare the run at ${moment}`} checked={isPicked} onChange={onPick} />
      <button type="button" onClick={onShow} aria-pressed={isShown}>
        <RunPill run={run} />
        <span className="num">{moment}</span>
        <span className="num">{ms === null ? '…' : toDuration(ms)}</span>
        <span className="num wide-only">{chunks > 0 ? toChunks(chunks) : toSize(bytes)}</span>
        <span className="quiet cut wide-only">{identity?.name ?? identity?.email ?? caller}</span>
        <span className="cut fault">{error ?? ''}</span>
        {isPinned && <Pin size={13} aria-label="pinned" />}
      </button>
    </li>
  )
}
