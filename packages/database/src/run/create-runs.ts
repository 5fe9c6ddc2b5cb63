import type { CreatedRun, NewRun } from '@sdk/server'
import { Batcher } from '../engine/request-batcher.ts'
import { CREATE, CREATE_ONE, CREATE_PLAIN, toCreated, toRunColumns, toRunValues, type CreateRow } from './create-sql.ts'
import type { OpenRuns } from './open-runs.ts'

/** The maximum number of runs that one statement creates. */
const MAX_BATCH = 200

/** The size of the inputs at which further runs have to wait for the next statement. */
const MAX_SIZE = 4_194_304

/** How often a statement is repeated that found a row of a statement that had not yet been committed. */
const MAX_TRIES = 5

/** Creates a batcher that creates the runs of one tick, and those that arrive meanwhile, with one statement at a time. */
export function createRunBatcher(open: () => Promise<OpenRuns>): Batcher<NewRun, CreatedRun> {
  return new Batcher(MAX_BATCH, async (runs) => {
    const opened = await open()
    const created: CreatedRun[] = []
    for (const part of splitBySize(runs))
      created.push(...(await (part.every(isPlain) ? createPlain(opened, part) : createRuns(opened, part))))
    return created
  })
}

/** Returns whether a run can be created without a check. */
function isPlain({ key, thread, caller }: NewRun): boolean {
  return key === null && thread === null && caller === null
}

async function createPlain({ query, channel, deliver }: RunCreator, runs: readonly NewRun[]): Promise<CreatedRun[]> {
  const [row] = await query(CREATE_PLAIN, [...toRunColumns(runs, true), channel])
  if (row?.['isReady'] === true) deliver('', '*')
  return runs.map(({ id }) => ({ outcome: 'created', id }))
}

/** Creates a queued run, such as in a transaction. */
export async function createQueued(opened: RunCreator, run: NewRun): Promise<CreatedRun> {
  if (run.key !== null || run.thread !== null) return (await createRuns(opened, [run]))[0] as CreatedRun
  const [row] = (await opened.query(CREATE_ONE, [...toRunValues(run), opened.channel])) as unknown as CreateRow[]
  if (row?.isReady === true) opened.deliver('', '*')
  return { outcome: row === undefined ? 'full' : 'created', id: run.id }
}

type RunCreator = Pick<OpenRuns, 'query' | 'channel' | 'deliver'>

/** Creates runs. Those that conflict with a run that another process has just created are tried again. */
async function createRuns({ query, channel, deliver }: RunCreator, runs: readonly NewRun[]): Promise<CreatedRun[]> {
  const created = new Map<NewRun, CreatedRun>()
  for (let tries = 1; created.size < runs.length && tries <= MAX_TRIES; tries++) {
    const left = runs.filter((run) => !created.has(run))
    const rows = (await query(CREATE, [...toRunColumns(left), channel])) as unknown as CreateRow[]
    for (const [index, run] of left.entries()) {
      const row = rows[index]
      const found = row === undefined ? null : toCreated(row, run)
      if (found !== null) created.set(run, found)
    }
    if (rows.some(({ isReady }) => isReady)) deliver('', '*')
  }
  return runs.map((run) => {
    const found = created.get(run)
    if (found !== undefined) return found
    throw new Error(`a run with the key ${run.key} or the thread ${run.thread} could not be created`)
  })
}

function splitBySize(runs: readonly NewRun[]): NewRun[][] {
  const parts: NewRun[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const run of runs) {
    if (size >= MAX_SIZE) {
      parts.push([])
      size = 0
    }
    parts.at(-1)?.push(run)
    size += run.input?.length ?? 0
  }
  return parts
}
