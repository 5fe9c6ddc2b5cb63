import type { ReactNode } from 'react'
import type { RunState, RunSummary } from '../../run.ts'

/** The meaning of a color. */
export type Tone = 'good' | 'bad' | 'busy' | 'warn' | 'quiet'

const RUN_TONES: Readonly<Record<RunState, Tone>> = {
  running: 'busy',
  done: 'good',
  failed: 'bad',
  refused: 'warn',
  cancelled: 'quiet',
}

/** A short status label, colored by its tone. */
export function Pill({ tone, children }: { tone: Tone; children: ReactNode }): ReactNode {
  return (
    <span className="pill" data-tone={tone}>
      {children}
    </span>
  )
}

/** The response status of a run, or its state, such as `running`, if there is no status that shows the outcome. */
export function RunPill({ run: { state, status } }: { run: Pick<RunSummary, 'state' | 'status'> }): ReactNode {
  return <Pill tone={RUN_TONES[state]}>{(state === 'done' && status > 0) || status >= 400 ? status : state}</Pill>
}
