import { z } from 'zod'

/** The URL of the server's database. */
export const databaseUrl = process.env.BENCH_DATABASE ?? 'pglite://memory'

/** A task of one of the lists. */
export const Task = z.object({
  title: z.string().max(200),
  notes: z.string().max(2000),
  listId: z.int(),
  priority: z.int(),
  done: z.boolean(),
})

/** The rows of every list. A page has 20 of them. */
export const ROWS_PER_LIST = 40

/** Returns the statement that fills a table with the rows of some lists. */
export function fill(table, lists) {
  return `insert into ${table} (title, notes, list_id, priority, done)
    select 'Task ' || n, repeat('All work and no play. ', 8), n % ${lists}, n % 100, n % 2 = 0
    from generate_series(1, ${lists * ROWS_PER_LIST}) n`
}
