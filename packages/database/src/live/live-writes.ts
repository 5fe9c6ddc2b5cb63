import { type Database, keyOf } from '../database.ts'
import { Batcher } from '../engine/request-batcher.ts'
import { currentTransaction } from '../joined-transaction.ts'
import { createStatementRunner } from '../statement-runner.ts'
import type { RunStatement, Statement } from '../table-layout.ts'

/**
 * The statement that waits until all earlier commits are on disk. It writes a message to the log that nothing reads,
 * since a transaction without changes would not wait.
 */
const FLUSH = {
  name: 'sdk_live_flush',
  text: `select pg_logical_emit_message(true, 'sdk', '')`,
  values: [],
  isText: true,
}

/** An output column with which the transaction of a statement does not wait for the disk. */
const NO_WAIT = `set_config('synchronous_commit', 'off', true)`

/** The number of concurrent writes from which waiting together is faster: each of them waits for two statements. */
const MIN_TOGETHER = 3

/** The maximum number of writes that wait for the same flush. */
const MAX_WAITING = 10_000

const runners = new WeakMap<Database, Promise<RunStatement>>()

/**
 * Returns a function that runs single writes of live tables, which must end with their output columns. PostgreSQL lets
 * one transaction with notifications commit at a time, so each would wait for the disk alone. Concurrent writes
 * therefore commit without this wait, and then wait for the disk together. A transaction that is already running
 * commits as usual.
 */
export function createLiveWriter(database: Database): Promise<RunStatement> {
  const known = runners.get(database) ?? createRunner(database)
  runners.set(database, known)
  return known
}

async function createRunner(database: Database): Promise<RunStatement> {
  const run = createStatementRunner(database)
  // An embedded database has one connection, and some roles may not call the function.
  const canFlush = database.kind === 'postgres' && (await run(FLUSH).then(isDone, () => false))
  if (!canFlush) return run
  const flushes = new Batcher<void, void>(MAX_WAITING, async (batch) => {
    await run(FLUSH)
    return batch
  })
  let running = 0
  return async (statement) => {
    if (currentTransaction(keyOf(database)) !== null) return run(statement)
    running += 1
    try {
      if (running < MIN_TOGETHER) return await run(statement)
      const rows = await run(withoutWait(statement))
      if (rows.length > 0) await flushes.add()
      return rows
    } finally {
      running -= 1
    }
  }
}

function isDone(): boolean {
  return true
}

/** The texts and names of statements that do not wait, by name: creating and comparing them takes time. */
const unwaiting = new Map<string, Pick<Statement, 'text' | 'name'>>()

function withoutWait(statement: Statement): Statement {
  const { text, name } = statement
  if (name === undefined) return { ...statement, text: `${text}, ${NO_WAIT}` }
  const changed = unwaiting.get(name) ?? { text: `${text}, ${NO_WAIT}`, name: `${name}_no_wait` }
  unwaiting.set(name, changed)
  return { ...statement, ...changed }
}
