import type { OnceKey, OnceResult } from '@sdk/server'
import type { RunStatement } from '../table-layout.ts'

/** Creates the table that stores results by idempotency key. Several processes may call this concurrently. */
export async function createResultsTable(run: RunStatement): Promise<void> {
  // Checked first, so that restarting processes do not queue for the lock.
  const [found] = await run({ text: `select to_regclass('sdk_idempotency') is not null as "isThere"`, values: [] })
  if (found?.['isThere'] !== true) await run({ text: CREATE_RESULTS, values: [] })
}

/**
 * Runs `work` and stores its result, or returns the stored result. `run` must be inside a transaction, which `work`
 * shares. Concurrent calls with the same key wait until the transaction ends.
 */
export async function runOnce(
  run: RunStatement,
  key: OnceKey,
  work: (run: RunStatement) => Promise<string>,
): Promise<OnceResult> {
  const claimed = await run({ ...CLAIM_KEY, values: [key.key, key.print, key.seconds] })
  if (claimed.length > 0) {
    const value = await work(run)
    await run({ ...STORE_RESULT, values: [key.key, value] })
    return { isNew: true, print: key.print, value }
  }
  const [stored] = await run({ ...FIND_RESULT, values: [key.key] })
  // The result expired and was deleted in the meantime.
  if (stored === undefined) return runOnce(run, key, work)
  return { isNew: false, print: String(stored['print']), value: String(stored['value']) }
}

/**
 * The statement that creates the table. It is a single statement, so that the lock is effective without a transaction.
 * The lock is needed because `if not exists` alone fails for concurrent calls.
 */
const CREATE_RESULTS = `do $$ begin
  perform pg_advisory_xact_lock(hashtextextended('sdk_idempotency', 0));
  create table if not exists sdk_idempotency
    (key text primary key, print text not null, value text, expires_at timestamptz not null);
  create index if not exists sdk_idempotency_expires_at on sdk_idempotency (expires_at);
end $$`

/**
 * The statement that claims a key. It returns a row if the key is free. If another transaction holds the key, it waits
 * until that transaction's result is visible.
 */
const CLAIM_KEY = {
  name: 'sdk_idempotency_claim',
  text: `insert into sdk_idempotency as kept (key, print, expires_at)
    values ($1, $2, now() + make_interval(secs => $3))
    on conflict (key) do update set print = excluded.print, value = null, expires_at = excluded.expires_at
    where kept.expires_at <= now()
    returning key`,
}

const FIND_RESULT = { name: 'sdk_idempotency_find', text: 'select print, value from sdk_idempotency where key = $1' }

/**
 * The statement that stores a result. It also deletes up to two expired results, so that the table does not grow beyond
 * one day's keys.
 */
const STORE_RESULT = {
  name: 'sdk_idempotency_keep',
  text: `with gone as (
      delete from sdk_idempotency where key in (
        select key from sdk_idempotency where expires_at <= now() and key <> $1 limit 2 for update skip locked
      )
    )
    update sdk_idempotency set value = $2 where key = $1`,
}
