import { useState, type ReactNode } from 'react'
import type { InspectedStep, RunInspection } from '../../api.ts'
import { Empty } from '../components/empty.tsx'
import { toChunks, toCount, toDuration, toTimestamp } from '../components/format.ts'
import { useTick } from '../components/use-tick.ts'
import { VirtualList } from '../components/virtual-list.tsx'
import { onListKeys } from '../run/stream/chunk-strip.tsx'
import { StoredJsonView } from './stored-json-view.tsx'
import { toWaterfall, type Waterfall, type WaterfallRow } from './waterfall.ts'

const STEP_ROW_HEIGHT = 30
const MAX_ROWS = 14

/** The labels of steps that have not ended. */
const OPEN_LABELS = { step: 'runs', stream: 'runs', start: 'runs', call: 'waits', sleep: 'sleeps', wait: 'waits' }

/** The steps of a run as a waterfall, grouped by attempt, and the selected step with its value. */
export function StepsView({ found }: { found: RunInspection }): ReactNode {
  const [chosen, setChosen] = useState<number | null>(null)
  const now = useTick(found.run.endedAt === null, 500)
  const waterfall = toWaterfall(found, performance.timeOrigin + now)
  const { rows, isShortened } = waterfall
  const first = rows.findIndex((row) => row.kind === 'step' && row.step !== null)
  const selected = chosen ?? Math.max(0, first)
  const row = rows[selected]
  const hidden = found.run.stepCount - found.steps.length
  if (rows.length === 0)
    return (
      <Empty title="Not started yet">
        <p>The steps are shown here once a process has started the run.</p>
      </Empty>
    )
  return (
    <div className="trace">
      <div
        className="trace-rows"
        style={{ height: Math.min(MAX_ROWS, rows.length) * STEP_ROW_HEIGHT }}
        onKeyDown={(event) => onListKeys(event, { selected, count: rows.length, onSelect: setChosen })}
      >
        <VirtualList
          count={rows.length}
          rowHeight={STEP_ROW_HEIGHT}
          label="Steps"
          selected={selected}
          render={(index) => (
            <Row
              row={rows[index]}
              waterfall={waterfall}
              hasChunks={found.run.isStream}
              isSelected={index === selected}
              onSelect={() => setChosen(index)}
            />
          )}
        />
      </div>
      <p className="quiet small">
        {toDuration(waterfall.end - waterfall.start)} in total.
        {isShortened && ' Pauses between steps are shortened.'}
        {hidden > 0 && ` Only the newest ${toCount(found.steps.length)} steps are shown.`}
      </p>
      {row?.kind === 'step' && row.step !== null && (
        <StepInspector key={row.step.name} id={found.run.id} step={row.step} />
      )}
    </div>
  )
}

interface RowProps {
  readonly row: WaterfallRow | undefined
  readonly waterfall: Waterfall
  readonly hasChunks: boolean
  readonly isSelected: boolean
  readonly onSelect: () => void
}

function Row({ row, waterfall: { toPercent }, hasChunks, isSelected, onSelect }: RowProps): ReactNode {
  if (row === undefined) return null
  if (row.kind === 'attempt') {
    const { epoch, process, keep } = row.attempt
    return (
      <p className="attempt-row cut" data-selected={isSelected}>
        <strong>Attempt {epoch}</strong>
        {process !== null && <span className="quiet"> · process {shortId(process)}</span>}
        {keep !== null && hasChunks && <span className="quiet"> · {toChunks(keep)} kept</span>}
      </p>
    )
  }
  const { step, startedAt, endedAt, isOpen } = row
  const left = toPercent(startedAt)
  return (
    <button type="button" className="trace-row" tabIndex={-1} aria-pressed={isSelected} onClick={onSelect}>
      <span className="trace-name cut">
        {step?.name ?? 'in progress'}
        {step !== null && step.kind !== 'step' && <span className="quiet"> {step.kind}</span>}
        {step !== null && step.attempts > 1 && <span className="step-tries"> ×{step.attempts}</span>}
      </span>
      <span className="trace-track" aria-hidden="true">
        <span
          className="trace-bar"
          data-step={step?.kind ?? 'step'}
          data-open={isOpen}
          style={{ left: `${left}%`, width: `${Math.max(0, toPercent(endedAt) - left)}%` }}
        />
      </span>
      <span className="num">{isOpen ? OPEN_LABELS[step?.kind ?? 'step'] : toDuration(endedAt - startedAt)}</span>
    </button>
  )
}

function StepInspector({ id, step }: { id: string; step: InspectedStep }): ReactNode {
  const { name, kind, startedAt, endedAt, attempts, epoch, process, value } = step
  return (
    <section className="span-inspector" aria-label="Selected step">
      <header>
        <h2>{name}</h2>
        <span className="pill">{kind}</span>
      </header>
      <dl className="run-facts">
        <Fact name="Started">{toTimestamp(Date.parse(startedAt))}</Fact>
        <Fact name={kind === 'sleep' ? 'Until' : 'Ended'}>
          {endedAt === null ? 'not yet' : toTimestamp(Date.parse(endedAt))}
        </Fact>
        {endedAt !== null && <Fact name="Time">{toDuration(Date.parse(endedAt) - Date.parse(startedAt))}</Fact>}
        <Fact name="Tries">{attempts}</Fact>
        <Fact name="Attempt">{epoch}</Fact>
        {process !== null && <Fact name="Process">{shortId(process)}</Fact>}
        {(kind === 'step' || kind === 'stream') && <Fact name="Key">{`${id}/${name}`}</Fact>}
      </dl>
      {kind !== 'sleep' && kind !== 'stream' && (
        <>
          <h3>{kind === 'wait' ? 'Event' : 'Value'}</h3>
          <StoredJsonView label={kind === 'wait' ? 'Event' : 'Value'} json={value} />
        </>
      )}
    </section>
  )
}

/** A named value in a list of facts. */
export function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt className="quiet">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Returns the beginning of an id, which is enough to distinguish processes. */
export function shortId(id: string): string {
  return id.slice(0, 8)
}
