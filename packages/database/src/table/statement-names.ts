import { createHash } from 'node:crypto'
import type { Statement } from '../table-layout.ts'

/** Filters make many statements, and every connection keeps each that has a name: so only the first ones get one. */
const MAX_STATEMENT_NAMES = 100

/** Names statements for being prepared. The same text has the same name everywhere, since pools are shared. */
export function createStatementNames(): (statement: Statement) => Statement {
  const names = new Map<string, string>()
  return (statement) => {
    const { text, values } = statement
    const known = names.get(text)
    if (known !== undefined) return { text, values, name: known }
    if (names.size >= MAX_STATEMENT_NAMES) return statement
    const name = `sdk_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
    names.set(text, name)
    return { text, values, name }
  }
}
