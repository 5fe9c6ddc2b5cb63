import { parseJson } from '../../components/parse-json.ts'

/** Quotes a string as one argument for a POSIX shell. Plain words are not quoted. */
export function quoteShell(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Quotes a string as a TypeScript literal. */
export function quoteString(text: string): string {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)
  return `'${escaped}'`
}

/** Converts JSON text to a TypeScript expression, or returns null if it is not valid JSON. */
export function toSource(json: string, indent: string = ''): string | null {
  const value = parseJson(json)
  if (value === undefined) return null
  // In an object literal, `__proto__` would set the prototype.
  if (json.includes('__proto__')) return `JSON.parse(${quoteString(json)})`
  return printSource(value, indent)
}

/** Formats a value like a code formatter: short values are on one line, and names have no unnecessary quotes. */
function printSource(value: unknown, indent: string): string {
  if (typeof value === 'string') return quoteString(value)
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value)
  const deeper = `${indent}  `
  const isList = Array.isArray(value)
  const items = isList
    ? value.map((item) => printSource(item, deeper))
    : Object.entries(value).map(([name, item]) => `${toPropertyName(name)}: ${printSource(item, deeper)}`)
  const [open, close, space] = isList ? ['[', ']', ''] : ['{', '}', ' ']
  if (items.length === 0) return open + close
  const line = `${open}${space}${items.join(', ')}${space}${close}`
  if (line.length + indent.length <= 80 && !line.includes('\n')) return line
  return `${open}\n${items.map((item) => `${deeper}${item},\n`).join('')}${indent}${close}`
}

function toPropertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoteString(name)
}
