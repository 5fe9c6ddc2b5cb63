import pg from 'pg'

/** The number of rows in the table. */
export const ROWS = Number(process.env['BENCH_ROWS'] ?? 1_000_100)

/** The depths: the number of rows before the requested page. */
export const DEPTHS: readonly number[] = [1, 1_000, 1_000_000].filter((depth) => depth < ROWS)

/** The orders that are measured at depth, and their SQL. */
export const ORDERS = {
  id: 'id',
  '-priority': 'priority desc, id desc',
  createdAt: 'created_at, id',
} as const

/** An order that is measured at depth. */
export type Sort = keyof typeof ORDERS

/** All orders. */
export const SORTS = Object.keys(ORDERS) as readonly Sort[]

/** The planned rows; the order of their times differs from the order of their ids. */
const PLAN = `
  select n as id, 'Task ' || n as title, n % 2 = 0 as done, (n * 31 % 101 % 5 + 1)::int as priority,
    timestamptz '2025-01-01 00:00:00Z' + (n * 7919 % ${ROWS}) * interval '17 ms' as created_at
  from generate_series(1::bigint, ${ROWS}) n`

const INSERT = `
  insert into tasks (id, title, done, priority, created_at, updated_at) overriding system value
  select id, title, done, priority, created_at, created_at from (${PLAN}) plan`

/** The ids of the rows at the depths of each order, and of the last row. */
export type Anchors = Readonly<Record<Sort, readonly number[]>>

/** Calculates the rows at the depths while the table is still empty. */
export async function planAnchors(url: string): Promise<Anchors> {
  const anchors: Partial<Record<Sort, number[]>> = {}
  for (const sort of SORTS) {
    const sql = `
      select id from (select id, row_number() over (order by ${ORDERS[sort]}) as depth from (${PLAN}) plan) numbered
      where depth = any($1) order by depth`
    const rows = await ask<{ id: string }>(url, sql, [[...DEPTHS, ROWS]])
    anchors[sort] = rows.map(({ id }) => Number(id))
  }
  return anchors as Anchors
}

/** Inserts only the rows at the depths. */
export async function fillAnchors(url: string, anchors: Anchors): Promise<void> {
  await ask(url, `${INSERT} where id = any($1)`, [Object.values(anchors).flat()])
}

/** Inserts all other rows around them. */
export async function fillRest(url: string, anchors: Anchors): Promise<void> {
  await ask(url, `${INSERT} where id <> all($1)`, [Object.values(anchors).flat()])
  await ask(url, `select setval(pg_get_serial_sequence('tasks', 'id'), ${ROWS})`)
  await ask(url, 'vacuum analyze tasks')
  await ask(url, 'checkpoint')
}

/** Returns the ids after a depth, found with a slow query. */
export async function idsBehind(url: string, sort: Sort, depth: number): Promise<number[]> {
  const sql = `select id from tasks order by ${ORDERS[sort]} offset $1 limit 20`
  return (await ask<{ id: string }>(url, sql, [depth])).map(({ id }) => Number(id))
}

/** Queries a database on a separate connection. */
export async function ask<T extends object>(url: string, sql: string, values: readonly unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<T>(sql, [...values])).rows
  } finally {
    await client.end()
  }
}
