import { printable } from '@sdk/server/node'
import type { Command } from './command.ts'
import { readDevServerInfo } from '../dev/dev-server-info.ts'
import { queryDevServer } from '../sql/sql-handler.ts'
import { findRoot } from '../discover.ts'
import { usageFailure } from '../failure.ts'
import type { SqlRow } from '../database-package.ts'
import { queryDatabase, databaseUrl, isEmbedded } from '../sql/query-database.ts'
import { toTable } from '../terminal.ts'

/** The maximum length of a printed value. Longer values are truncated, except with `--json`. */
const MAX_CELL = 60

/** The `sdk sql` command. */
export const sqlCommand: Command = {
  summary: 'runs an SQL statement, even while sdk dev is running',
  mode: 'development',
  args: [{ name: 'sql', summary: "one statement, for example 'select * from notes limit 5'" }],
  options: {
    write: { summary: 'allows changes to rows and tables; otherwise the statement is read-only' },
    json: { summary: 'prints the rows as JSON, without truncating values' },
  },
  examples: [
    `sdk sql "select table_name from information_schema.tables where table_schema = 'public'"`,
    'sdk sql "select * from notes order by id desc limit 5" --json',
    `sdk sql "update notes set done = true where id = 1" --write`,
  ],
  async run({ cwd, args: [sql = ''], terminal: { out }, has }) {
    if (sql.trim() === '') throw usageFailure('the statement is empty', 'sdk sql "select 1"')
    const root = findRoot(cwd)
    const statement = { sql, canWrite: has('write') }
    const devServer = isEmbedded(databaseUrl()) ? readDevServerInfo(root) : null
    const rows =
      (devServer === null ? null : await queryDevServer(devServer, statement)) ?? (await queryDatabase(root, statement))
    if (has('json')) return out(JSON.stringify(rows, null, 2))
    if (rows.length === 0 && has('write')) return out('done; add "returning *" to see the rows')
    for (const line of toRowLines(rows)) out(line)
  },
}

function toRowLines(rows: readonly SqlRow[]): string[] {
  const names = Object.keys(rows[0] ?? {})
  const count = `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`
  return rows.length === 0
    ? [count]
    : [...toTable([names.map(toCell), ...rows.map((row) => names.map((name) => toCell(row[name])))]), count]
}

/** Formats a value. Rows may contain untrusted text, which must not move the cursor or forge a line. */
function toCell(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const line = printable(text.replaceAll(/\s+/g, ' '))
  return line.length > MAX_CELL ? `${line.slice(0, MAX_CELL - 1)}…` : line
}
