import pg from 'pg'
import { runLoad } from '../harness/load.ts'
import type { ServerProcess } from '../harness/server-process.ts'

/** The duration of a measurement, in ms. It is short, since the speed of a disk varies. */
const MS = 250

/** Returns the number of rows per second that are created through HTTP. */
export async function countRequests({ port }: ServerProcess, name: string, connections: number): Promise<number> {
  const body = JSON.stringify({ title: 'New', notes: '', listId: 1, priority: 1000, done: false })
  const head = `POST /api/v1/${name} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const { requests, seconds } = await runLoad({ port, request: Buffer.from(head + body), connections, ms: MS })
  return requests / seconds
}

/** Returns the number of rows per second that are created by SQL alone. */
export async function countStatements(url: string, name: string, connections: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: connections })
  const text = `insert into ${name} (title, notes, list_id, priority, done) values ('New', '', 1, 1000, false)`
  // Opens all connections.
  await Promise.all(Array.from({ length: connections }, () => pool.query('select 1')))
  const started = performance.now()
  let count = 0
  const insert = async (): Promise<void> => {
    for (; performance.now() - started < MS; count++) await pool.query({ name: 'insert', text })
  }
  await Promise.all(Array.from({ length: connections }, insert))
  const seconds = (performance.now() - started) / 1000
  await pool.end()
  return count / seconds
}
