import { expect, it } from 'vitest'
import type { ContextTransaction } from '../../context/transaction.ts'
import { ActiveRun } from '../active-run.ts'
import type { TransactionStepOutcome } from '../store/run-store.ts'
import { runInTransaction } from './transaction-step.ts'

it('runs a transaction again if a stream step beside it is retracted', async () => {
  const run = new ActiveRun({ id: 'r', epoch: 1, kept: 0, size: 0, steps: new Map() }, () => {})
  const mark = run.beginStep(true)
  const epochs: number[] = []
  const store = {
    steps: async () => new Map(),
    stepValue: async () => null,
    async finishInTransaction(_process: string, { epoch }: { epoch: number }): Promise<TransactionStepOutcome> {
      epochs.push(epoch)
      if (epoch === 2) return 'stored'
      await run.pause()
      setImmediate(() => run.restart(mark, 2)) // the new epoch is known only after the transaction has failed
      return 'lost'
    },
  }
  const transaction = <T>(work: (tx: ContextTransaction) => Promise<T>): Promise<T> => work({} as ContextTransaction)
  let calls = 0
  const info = { key: 'r/pay', signal: run.controller.signal, attempt: 1 }
  const step = { name: 'pay', work: () => (calls += 1), info, index: 0 }
  expect(await runInTransaction(run, step, { process: 'p', store, transaction })).toBe('2')
  expect([run.isOver, calls, epochs]).toEqual([false, 2, [1, 2]])
})
