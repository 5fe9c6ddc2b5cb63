import type { Database } from '@sdk/database'
import type { Random } from '../endurance/random.ts'
import { OWNERS, PEOPLE, TEAMS } from './world.ts'

type Queries = Pick<Database, 'query' | 'transaction'>

/** Few different values, so that many rows are equal. In UTF-16, the order of the last two titles is reversed. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  title: ['', 'a', 'A', 'ab', 'é', "o'k", '\u{FF5E}', '\u{1F600}'],
  priority: [-2, 0, 1, 2, 3],
  score: [null, -1.5, 0, 0.1, 1e-7, 1e300],
  done: [true, false],
  due_at: [null, '0001-01-01T00:00:00.000Z', '2026-05-06T07:08:09.123Z', '2026-05-06T07:08:09.124Z'],
  day: [null, '2026-01-31', '2026-02-01'],
  tags: ['[]', '["x"]', '["x","y"]'],
  team_id: [null, ...TEAMS],
  owner_id: [null, ...OWNERS],
}
const COLUMNS = Object.keys(VALUES)
/** The time of the rows, in which many are equal. */
const TIME = `timestamptz '2026-01-01' + (random() * 3)::int * interval '1 second'`

/** The maximum number of rows before half of them are deleted. */
const MAX_ROWS = 60

const SOME = [
  'id % 3 = 0',
  'id % 7 = 1',
  'id = (select max(id) from tasks)',
  'id in (select id from tasks order by random() limit 3)',
  'done',
  'priority > 1',
  'true',
]

/** A kind of change, and how often it occurs relative to the others. */
const KINDS: readonly [weight: number, change: (database: Queries, random: Random) => Promise<unknown>][] = [
  [30, insert],
  [40, update],
  [6, moveToOwner],
  [12, remove],
  [8, changeInTransaction],
  [5, rollBack],
  [5, upsert],
  [6, changeMembers],
  [1, (database) => database.query('truncate tasks')],
  [1, (database) => database.query('truncate tasks restart identity')],
]
const WHEEL = KINDS.flatMap(([weight, change]) => Array.from({ length: weight }, () => change))

/** Makes a random change with SQL, as another program would. */
export async function makeChange(database: Queries, random: Random): Promise<void> {
  await random.pick(WHEEL)(database, random)
  if (random.below(10) > 0) return
  const [row] = await database.query<{ count: number }>('select count(*) from tasks')
  if ((row?.count ?? 0) > MAX_ROWS) await database.query('delete from tasks where id % 2 = 0')
}

/** Returns changes that create ten thousand rows, update all of them and delete most of them, in one statement each. */
export function hugeChanges(database: Queries, random: Random): (() => Promise<unknown>)[] {
  const count = 10_000
  return [
    () =>
      database.query(`insert into tasks (title, priority, done, tags, team_id, created_at)
        select 'x' || n, n % 5, n % 2 = 0, '[]', n % 4, ${TIME} from generate_series(1, ${count}) n`),
    () => database.query(`update tasks set priority = -priority, team_id = ${random.pick(TEAMS)}`),
    () => database.query(`delete from tasks where title like 'x%' and random() < 0.999`),
  ]
}

async function insert(database: Queries, random: Random): Promise<void> {
  const rows = Array.from({ length: 1 + random.below(3) }, () => COLUMNS.map((name) => toSql(name, random)))
  const values = rows.map((row) => `(${[...row, TIME, TIME].join(', ')})`)
  await database.query(`insert into tasks (${COLUMNS.join(', ')}, created_at, updated_at) values ${values.join(', ')}`)
}

/** Updates a column of some rows. Like any program, it may leave `version` and `updated_at` unchanged. */
async function update(database: Queries, random: Random): Promise<void> {
  const column = random.pick(COLUMNS)
  const stamp = random.below(2) === 0 ? '' : `, updated_at = ${TIME}, version = version + 1`
  await database.query(`update tasks set ${column} = ${toSql(column, random)}${stamp} where ${random.pick(SOME)}`)
}

async function moveToOwner(database: Queries, random: Random): Promise<void> {
  const [from, to] = [random.pick(OWNERS), random.pick(OWNERS)]
  await database.query('update tasks set owner_id = $1 where owner_id = $2 and id % 2 = 0', [to, from])
}

async function remove(database: Queries, random: Random): Promise<void> {
  await database.query(`delete from tasks where ${random.pick(SOME.slice(0, 4))}`)
}

async function upsert(database: Queries, random: Random): Promise<void> {
  await database.query(`insert into tasks (id, title, priority, done, tags) overriding system value
    select id, 'again', ${random.below(4)}, true, '[]' from tasks order by random() limit 2
    on conflict (id) do update set title = excluded.title, priority = excluded.priority`)
}

async function changeInTransaction(database: Queries, random: Random): Promise<void> {
  await database.transaction(async ({ query }) => {
    for (let count = 1 + random.below(4); count > 0; count--)
      await random.pick([insert, update, remove])(toQueries(query), random)
  })
}

async function rollBack(database: Queries, random: Random): Promise<void> {
  const failing = database.transaction(async ({ query }) => {
    await insert(toQueries(query), random)
    await query(`update tasks set title = 'never', priority = 99`)
    throw new Error('rolled back')
  })
  await failing.catch((error: Error) => {
    if (error.message !== 'rolled back') throw error
  })
}

async function changeMembers(database: Queries, random: Random): Promise<void> {
  const [person, team] = [random.pick(PEOPLE), random.pick(TEAMS)]
  if (random.below(2) === 0)
    await database.query('delete from members where person = $1 and team_id = $2', [person, team])
  else await database.query('insert into members (person, team_id) values ($1, $2)', [person, team])
}

function toQueries(query: Database['query']): Queries {
  return { query, transaction: () => Promise.reject(new Error('no nested transactions')) }
}

function toSql(column: string, random: Random): string {
  const value = random.pick(VALUES[column] ?? [null])
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}
