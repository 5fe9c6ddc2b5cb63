import type { RunStatement } from '../table-layout.ts'
import { IS_READY, READY_AT } from './claim-sql.ts'
import { keyOwner } from './create-sql.ts'

/** Creates the tables for runs if they do not exist. Processes that start concurrently wait for each other. */
export async function createRunTables(run: RunStatement): Promise<void> {
  // Checked first, so that the role of a running service does not need the privilege to create tables.
  const [found] = await run({ text: `select to_regclass('sdk_runs_keyed') is not null as "isThere"`, values: [] })
  if (found?.['isThere'] !== true) await run({ text: CREATE_TABLES, values: [] })
}

/**
 * The statement that creates the tables. It is a single statement, so that the lock is effective without a transaction.
 * Chunks and steps need no foreign keys, since each write already locks its run.
 */
const CREATE_TABLES = `do $$ begin
  perform pg_advisory_xact_lock(hashtextextended('sdk_runs', 0));
  create table if not exists sdk_runs (
    id text collate "C" primary key, agent text not null, user_id text, caller text, key text,
    print text not null, thread text, input text, address text not null, trace text, is_stream boolean not null,
    keep_for double precision not null, status text not null, process text, epoch int not null, kept int not null default 0,
    base int not null default 0, crashes int not null default 0, retractions jsonb not null default '[]', output text,
    error text, created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
    ended_at timestamptz, expires_at timestamptz, is_gone boolean not null default false
  ) with (fillfactor = 70);
  create unique index if not exists sdk_runs_thread on sdk_runs (agent, user_id, thread)
    where thread is not null and ended_at is null;
  alter table sdk_runs add column if not exists due_at timestamptz, add column if not exists waiting text,
    add column if not exists waits text[], add column if not exists events text[] not null default '{}';
  alter table sdk_runs alter column caller drop not null;
  drop index if exists sdk_runs_unfinished, sdk_runs_active, sdk_runs_due, sdk_runs_caller, sdk_runs_key;
  create index if not exists sdk_runs_running on sdk_runs (process) where status = 'running';
  create index if not exists sdk_runs_ready on sdk_runs (agent, (${READY_AT})) where ${IS_READY};
  create index if not exists sdk_runs_load on sdk_runs (caller) where ended_at is null and caller is not null;
  create index if not exists sdk_runs_user on sdk_runs (user_id, agent, created_at, id) where user_id is not null;
  create index if not exists sdk_runs_expires_at on sdk_runs (is_gone, expires_at) where expires_at is not null;
  create table if not exists sdk_run_steps (
    run text collate "C" not null, name text collate "C" not null, value text, chunks int not null,
    at timestamptz not null default clock_timestamp(), primary key (run, name)
  );
  create table if not exists sdk_run_pages (
    run text collate "C" not null, first int not null, epoch int not null, count int not null, bytes int not null,
    data text not null, primary key (run, first, epoch)
  );
  create table if not exists sdk_run_processes (process text primary key, until timestamptz not null);
  create table if not exists sdk_run_events (
    run text collate "C" not null, key text collate "C" not null, value text, print text not null,
    at timestamptz not null default clock_timestamp(), primary key (run, key)
  );
  create index if not exists sdk_runs_waiting on sdk_runs (agent, created_at, id)
    where status = 'waiting' and waits <> '{}';
  create unique index if not exists sdk_runs_keyed on sdk_runs (agent, key, ${keyOwner('')}) where key is not null;
end $$`
