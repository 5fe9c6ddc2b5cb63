import type { NewRun, StoredThread, ThreadStore } from '@sdk/server'
import type { PreparedSql } from '../database.ts'
import type { OpenRuns, RunsOpener } from './open-runs.ts'
import { CANCEL_THREAD, MAX_CANCELLED } from './run-sql.ts'
import { DELETE_THREAD, GET_THREAD, LIST_THREADS } from './thread-sql.ts'

/** Creates the store of threads in a database. */
export function postgresThreads({ open }: RunsOpener): ThreadStore {
  const query = async <T>(statement: string | PreparedSql, values: readonly unknown[]): Promise<T[]> =>
    (await open()).query(statement, values) as Promise<T[]>
  return {
    async get({ agent, userId, thread }) {
      const [found = null] = await query<StoredThread>(GET_THREAD, [agent, userId, thread])
      return found
    },
    list: ({ agent, userId, limit, after }) =>
      query<StoredThread>(LIST_THREADS, [agent, userId, after?.usedAt, after?.thread, limit]),
    cancel: async (ref, process) => cancelThread(await open(), ref, process),
    async delete({ agent, userId, thread }) {
      await query(DELETE_THREAD, [agent, userId, thread])
    },
  }
}

/** Cancels the unfinished runs of a thread, and notifies other processes. Returns their ids. */
export async function cancelThread(
  { query, channel, deliver }: Pick<OpenRuns, 'query' | 'channel' | 'deliver'>,
  { agent, userId, thread }: Pick<NewRun, 'agent' | 'userId' | 'thread'>,
  process: string,
): Promise<string[]> {
  const ids: string[] = []
  for (let count = MAX_CANCELLED; count === MAX_CANCELLED;) {
    const rows = await query(CANCEL_THREAD, [process, userId, channel, agent, thread])
    for (const row of rows) {
      deliver(process, String(row['id']))
      ids.push(String(row['id']))
    }
    count = rows.length
  }
  return ids
}
