import { readFileSync } from 'node:fs'
import { ask } from './rows.ts'

/** Nanoseconds of CPU by process. */
type Used = ReadonlyMap<string, number>

/** Disables work in the background, which would be charged to the server that runs then. */
export async function quietPostgres(url: string): Promise<void> {
  await ask(url, 'alter system set autovacuum = off')
  await ask(url, 'alter system set max_wal_size = 4096')
  await ask(url, 'select pg_reload_conf()')
}

/** The process that starts all other processes of a PostgreSQL server. */
export async function findPostmaster(url: string): Promise<number> {
  const [row] = await ask<{ text: string }>(url, `select pg_read_file('postmaster.pid') as text`)
  return Number.parseInt(row?.text ?? '', 10) // the first line
}

/** Returns the CPU time of a PostgreSQL server's processes, including connections and the WAL writer. */
export function postgresCost(postmaster: number): Used {
  const pids = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ')
  return new Map(pids.map((pid) => [pid, nanoseconds(pid)]))
}

/** Returns the microseconds of CPU between two measurements. */
export function postgresCpuBetween(before: Used, after: Used): number {
  let sum = 0
  for (const [pid, used] of after) sum += used - (before.get(pid) ?? 0)
  return sum / 1000
}

function nanoseconds(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    return 0 // the process has exited since it was listed
  }
}
