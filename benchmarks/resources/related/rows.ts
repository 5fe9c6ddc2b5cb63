import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask } from '../rows.ts'

const SIZES = { authors: 500, articles: 5_000, comments: 40_000, favorites: 160_000 } as const

/** The columns of each table and the SQL for row `n`. Some articles have no comments, and others more than are read. */
const PLANS: Readonly<Record<keyof typeof SIZES, Readonly<Record<string, string>>>> = {
  authors: { name: `'Author ' || n`, bio: `repeat('Writes about tea. ', 1 + n::int % 5)` },
  articles: {
    title: `'How to brew tea, part ' || n`,
    body: `repeat('Warm the pot, then add a spoon of leaves. ', 10 + n::int % 10)`,
    author_id: `n * 31 % ${SIZES.authors} + 1`,
  },
  comments: {
    article_id: `abs(hashint8(n)::bigint) % ${SIZES.articles} + 1`,
    text: `'Comment ' || n || repeat(' I prefer coffee.', 1 + n::int % 8)`,
  },
  favorites: { article_id: `abs(hashint8(-n)::bigint) % ${SIZES.articles} + 1`, user_id: 'n' },
}

/** Creates the tables of a peer. */
export async function createTables(url: string): Promise<void> {
  await ask(url, readFileSync(join(import.meta.dirname, 'tables.sql'), 'utf8'))
}

/** Inserts the same rows into the tables of a server. */
export async function fillTables(url: string): Promise<void> {
  const time = `timestamptz '2025-01-01 00:00:00Z' + n * interval '17 ms'`
  for (const [table, plan] of Object.entries(PLANS)) {
    const columns = { id: 'n', ...plan, created_at: time, updated_at: time }
    await ask(
      url,
      `insert into ${table} (${Object.keys(columns).join()}) overriding system value
       select ${Object.values(columns).join()} from generate_series(1::bigint, ${SIZES[table as keyof typeof SIZES]}) n`,
    )
    await ask(url, `vacuum analyze ${table}`)
  }
  await ask(url, 'checkpoint')
}
