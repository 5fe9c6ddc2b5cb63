import { afterEach, describe, expect, it } from 'vitest'
import { createAgent, createLog, memoryRuns } from '../index.ts'
import { ActiveRun } from './active-run.ts'
import { closeAll, open } from './run-app.test.fixture.ts'
import type { RunWrite } from './store/run-store.ts'
import { RunWriter } from './run-writer.ts'

afterEach(closeAll)

const LARGE = 'x'.repeat(1_000_000)

/** Creates a writer whose store rejects data that contains `bad`. */
function createWriter(): { readonly batches: RunWrite[][]; start(id: string): ActiveRun } {
  const batches: RunWrite[][] = []
  const write = async (_process: string, writes: readonly RunWrite[]): Promise<boolean[]> => {
    if (JSON.stringify(writes).includes('bad')) throw new RangeError('rejected')
    batches.push([...writes])
    return writes.map(() => true)
  }
  const log = createLog({ write: () => {} })
  const writer = new RunWriter({ store: { write }, process: 'p', log, onStored: () => {}, onRejected: () => {} })
  const start = (id: string): ActiveRun =>
    new ActiveRun({ id, epoch: 1, kept: 0, size: 0, steps: new Map() }, writer.add)
  return { batches, start }
}

describe('RunWriter', () => {
  it('limits the size of a statement', async () => {
    const { batches, start } = createWriter()
    const runs = Array.from({ length: 12 }, (_value, index) => start(String(index)))
    await Promise.all(runs.map((run) => run.finish({ status: 'done', output: LARGE, error: null })))
    expect(batches.map(({ length }) => length)).toEqual([5, 5, 2])
    const run = start('steps')
    await Promise.all(['a', 'b', 'c'].map((name) => run.finishStep(name, LARGE, 0)))
    expect(batches.slice(3).flatMap((writes) => writes.map(({ steps }) => steps.length))).toEqual([1, 1, 1])
  })

  it('fails only the run whose data the store rejects', async () => {
    const { batches, start } = createWriter()
    const [good, bad, ended] = ['good', 'worse', 'ended'].map(start)
    void good?.addChunk('1')
    void bad?.addChunk('"bad"')
    await Promise.all([good?.stored(), bad?.over, ended?.finish({ status: 'done', output: '"bad"', error: null })])
    const stored = batches.flat().map(({ id, chunks, end }) => `${id} ${end?.status ?? chunks.length}`)
    expect(stored).toEqual(['good 1', 'worse failed', 'ended failed'])
    expect(bad?.controller.signal.aborted).toBe(true)
  })

  it('stores the steps of concurrent runs together', async () => {
    const store = memoryRuns()
    const sizes: number[] = []
    const { write } = store
    store.write = async (process, writes) => {
      sizes.push(writes.length)
      await new Promise((resolve) => setTimeout(resolve, 1)) // a statement takes longer than a step
      return write.call(store, process, writes)
    }
    const agent = createAgent('steps', {
      durable: true,
      async handler(ctx) {
        for (let number = 0; number < 20; number++) await ctx.step('step', () => number)
      },
    })
    const app = open([agent], store)
    await Promise.all(Array.from({ length: 10 }, () => app.send('POST /agent/steps')))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10 * 21)
    // The runs start one after the other, and then wait for the same writes.
    expect(sizes.filter((size) => size === 10).length).toBeGreaterThanOrEqual(15)
  })
})
