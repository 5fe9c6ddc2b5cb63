// Inserts and deletes items continuously, at unused positions: odd ids, distributed over the list.
import { openDatabase } from '@sdk/database'
import { createRandom } from './random.ts'

/** The final report. */
export interface Churned {
  readonly inserted: number
  readonly deleted: number
}

const [url = '', largest = '0'] = process.argv.slice(2)
const database = openDatabase(url)
const random = createRandom(20_260)
const present: number[] = []
const counts = { inserted: 0, deleted: 0 }
const ending = new AbortController()

process.on('SIGTERM', () => ending.abort())

/** The number of concurrent items, and the maximum. */
const BATCH = 20
const MOST = 2_000

while (!ending.signal.aborted) {
  const ids = Array.from({ length: BATCH }, () => 2 * random.below(Number(largest) / 2) + 1)
  const inserted = await database.query<{ id: string }>(
    `insert into items (id, title, created_at, updated_at, priority, is_done) overriding system value
     select id, 'churn', now(), now(), id % 7, false from unnest($1::bigint[]) id on conflict do nothing returning id`,
    [ids],
  )
  counts.inserted += inserted.length
  present.push(...inserted.map(({ id }) => Number(id)))
  while (present.length > random.below(MOST)) {
    const some = present.splice(random.below(present.length), BATCH)
    const deleted = await database.query('delete from items where id = any($1::bigint[]) returning id', [some])
    counts.deleted += deleted.length
  }
  if (counts.inserted === inserted.length) console.log('churning')
}
console.log(JSON.stringify(counts satisfies Churned))
await database.close()
