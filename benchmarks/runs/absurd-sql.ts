import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** absurd's npm package does not contain its SQL, which its command-line tool downloads in the same way. */
const SOURCE = 'https://raw.githubusercontent.com/earendil-works/absurd/main/sql/absurd.sql'

/** Returns the path of absurd's SQL: `BENCH_ABSURD_SQL`, or a copy that is downloaded on first use. */
export async function loadAbsurdSql(): Promise<string> {
  const given = process.env['BENCH_ABSURD_SQL']
  if (given !== undefined) return given
  const path = join(import.meta.dirname, '../node_modules/.cache/absurd.sql')
  if (existsSync(path)) return path
  const response = await fetch(SOURCE)
  if (!response.ok) throw new Error(`${SOURCE} answered ${response.status}: set BENCH_ABSURD_SQL to a copy`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, await response.text())
  return path
}
