import type { StoredStep } from '@sdk/server'
import { fromColumnText, toColumnText } from '../engine/column-text.ts'
import { Batcher } from '../engine/request-batcher.ts'
import type { RunSqlQuery } from './open-runs.ts'
import { INLINE } from './step-sql.ts'

/** The maximum number of reads per statement. A value may have 1 MiB. */
const MAX_READS = 50

const STEPS = {
  name: 'sdk_run_steps',
  text: `select run, name, chunks, ${INLINE} from sdk_run_steps where run = any($1::text[]) order by number`,
}

const STEP_VALUES = {
  name: 'sdk_run_step_values',
  text: `select value from unnest($1::text[], $2::text[]) with ordinality as given (run, name, place)
    left join sdk_run_steps using (run, name) order by place`,
}

/** A value that is null in the row if it is long. */
export interface InlineRow {
  readonly name: string
  readonly value: string | null
  readonly isLong: boolean
}

interface StepRow extends InlineRow {
  readonly run: string
  readonly chunks: number
}

/** Returns the value of a row, or undefined if it is long. */
export function toInline({ value, isLong }: InlineRow): string | null | undefined {
  return isLong ? undefined : value
}

/** The functions that read finished steps. */
export interface StepReader {
  /** Returns a run's finished steps by name, in the order in which they were stored. */
  steps(run: string): Promise<ReadonlyMap<string, StoredStep>>
  /** Returns the value of a finished step, or null if it has none. */
  value(run: string, name: string): Promise<string | null>
}

/**
 * Creates a `StepReader`. A process that takes over many runs reads all their steps before it executes a new one, so
 * concurrent reads share a statement.
 */
export function createStepReader(query: RunSqlQuery): StepReader {
  const steps = new Batcher(MAX_READS, async (runs: readonly string[]) => {
    const found = new Map(runs.map((run) => [run, new Map<string, StoredStep>()]))
    const rows = (await query(STEPS, [runs])) as unknown as StepRow[]
    for (const row of rows)
      found.get(row.run)?.set(fromColumnText(row.name), { chunks: row.chunks, value: toInline(row) })
    return runs.map((run) => found.get(run) ?? new Map<string, StoredStep>())
  })
  const values = new Batcher(MAX_READS, async (keys: readonly { run: string; name: string }[]) => {
    const columns = [keys.map(({ run }) => run), keys.map(({ name }) => toColumnText(name))]
    return ((await query(STEP_VALUES, columns)) as { value: string | null }[]).map(({ value }) => value)
  })
  return { steps: (run) => steps.add(run), value: (run, name) => values.add({ run, name }) }
}
