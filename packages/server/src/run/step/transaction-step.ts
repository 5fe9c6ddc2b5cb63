import type { StepInfo, TransactionStepInfo } from '../../context/durable-context.ts'
import type { ContextTransaction } from '../../context/transaction.ts'
import { never, type ActiveRun } from '../active-run.ts'
import { StepUsageError } from '../run-error.ts'
import type { RunStore } from '../store/run-store.ts'
import { serializeValue } from './step-values.ts'

/** The dependencies of a step that runs in a transaction. */
export interface TransactionStepDependencies {
  readonly process: string
  readonly store: Pick<RunStore, 'finishInTransaction' | 'steps' | 'stepValue'>
  /** Runs `work` in a transaction of the app's database. */
  transaction<T>(work: (tx: ContextTransaction) => Promise<T>): Promise<T>
}

/** A step that runs in a transaction. */
interface TransactionStep {
  readonly name: string
  readonly work: (info: TransactionStepInfo) => unknown
  readonly info: StepInfo
  /** The number of chunks before the step. */
  readonly index: number
}

/**
 * Runs a step in a transaction that also stores its value, and returns the value as JSON. The last statement checks that
 * the run still belongs to the process and epoch; if not, everything is rolled back.
 */
export async function runInTransaction(
  run: ActiveRun,
  step: TransactionStep,
  dependencies: TransactionStepDependencies,
): Promise<string | null> {
  const { name, work, info, index } = step
  const { process, store, transaction } = dependencies
  const finish = store.finishInTransaction?.bind(store)
  if (finish === undefined)
    throw new StepUsageError(
      `the step ${JSON.stringify(name)} cannot use a transaction, since its run is stored in memory: ` +
        'pass runs: postgresRuns({ database }) from @sdk/database to createApp',
    )
  // An earlier attempt may have been committed although its connection was lost.
  if (info.attempt > 1 && (await store.steps(run.id)).has(name)) return store.stepValue(run.id, name)
  await run.stored() // the step keeps the chunks before it, so they must be stored first
  await run.resumed()
  const { id, epoch } = run
  const state = { isLost: false }
  try {
    const stored = await transaction(async (tx) => {
      const value = serializeValue(await work({ ...info, tx }), name, run)
      if (run.isEnding) throw new Error('the run has ended')
      const finished = { name, value, chunks: run.keptBefore(index), trace: run.traces.of(name) }
      const outcome = await finish(process, { id, epoch, step: finished })
      state.isLost = outcome === 'lost'
      if (outcome !== 'stored') throw new Error('the step was stored by another attempt, or its run was taken over')
      return value
    })
    run.onProgress()
    return stored
  } catch (error) {
    if (state.isLost) {
      await run.resumed()
      // A stream step beside this one was retracted, which rolled this transaction back.
      if (run.epoch !== epoch) return runInTransaction(run, step, dependencies)
      run.stop('the run was cancelled or continues in another process')
    }
    if (run.isEnding) return never()
    throw error
  }
}
