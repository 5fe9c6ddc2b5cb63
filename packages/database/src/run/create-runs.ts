import { ApiError } from '@sdk/protocol'
import { RUN_LIMITS, type CreatedRun, type NewRun } from '@sdk/server'
import { Batcher } from '../engine/request-batcher.ts'
import { findSqlError } from '../sql-error.ts'
import { CREATE, CREATE_PLAIN, toCreated, toCreateOne, toRunColumns, type CreateRow } from './create-sql.ts'
import type { OpenRuns } from './open-runs.ts'
import { cancelThread } from './postgres-threads.ts'

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

/** Queues a run in the caller's transaction. If it needs no lookup, it is created together with the commit. */
export async function createJoined(
  { channel, deliver, joined }: OpenRuns,
  run: NewRun,
  isReplacing: boolean,
): Promise<CreatedRun> {
  const transaction = joined.transaction('tx.start')
  const afterCommit: typeof deliver = (from, id) => transaction.afterCommit(() => deliver(from, id))
  const opened = { query: joined.query, channel, deliver: afterCommit }
  if (run.key === null && run.thread === null) {
    const [statement, values] = toCreateOne(run)
    transaction.sendWithCommit({ sql: joined.prepare(statement), values, toError })
    if (run.dueAt === undefined && channel !== null)
      transaction.sendWithCommit({ sql: `notify ${channel}, ' *'`, values: [] })
    afterCommit('', '*')
    return { outcome: 'created', id: run.id }
  }
  const create = async (): Promise<CreatedRun> => (await createRuns(opened, [run]))[0] as CreatedRun
  const created = await create()
  if (created.outcome !== 'busy' || !isReplacing) return created
  await cancelThread(opened, run, '')
  return create()
}

/** Converts the error for a caller with too many unfinished runs. */
function toError(error: Error): Error | undefined {
  const { code, column } = findSqlError(error) ?? {}
  if (code !== '23502' || column !== 'epoch') return undefined
  return new ApiError('TOO_MANY_RUNS', `too many unfinished runs (limit ${RUN_LIMITS.unfinished})`, { retryAfter: 60 })
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
