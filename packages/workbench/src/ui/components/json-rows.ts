/** The path to a nested value, which consists of field names and array indexes. */
export type JsonPath = readonly (string | number)[]

/** A row in a JSON tree. */
export interface JsonRow {
  /** A unique key, which is based on the path. */
  readonly key: string
  readonly path: JsonPath
  readonly value: unknown
  /** The field name or array index, or null for the root. */
  readonly name: string | number | null
  readonly level: number
  readonly position: number
  readonly siblings: number
  /** The number of nested values, or null for a scalar. */
  readonly size: number | null
  readonly isOpen: boolean
  /** The number of hidden values in an array or object if the row shows that number instead of a value, otherwise 0. */
  readonly hidden: number
}

/** The state of a JSON tree: which rows are toggled, and how many values they show. */
export interface JsonOpening {
  /** The keys of rows that the user has expanded or collapsed. */
  readonly toggled: ReadonlySet<string>
  /** The number of values shown in each array or object, by key. @default ROWS_PER_PAGE for each */
  readonly shown: ReadonlyMap<string, number>
}

/** The number of values in an array or object to show initially, and to add each time the user asks for more. */
export const ROWS_PER_PAGE = 100

/** The maximum number of entries and the maximum depth of values that are initially expanded. */
const OPEN_SIZE = 30
const OPEN_LEVEL = 3

/** Returns the visible rows for a value, from top to bottom. */
export function toRows(value: unknown, opening: JsonOpening): JsonRow[] {
  const rows: JsonRow[] = []
  const add = (path: JsonPath, inner: unknown, place: Pick<JsonRow, 'position' | 'siblings'>): void => {
    const entries = entriesOf(inner)
    const key = JSON.stringify(path)
    const level = path.length + 1
    const size = entries?.length ?? null
    const isOpenAtFirst = level === 1 || (level <= OPEN_LEVEL && (size ?? 0) <= OPEN_SIZE)
    const isOpen = size !== null && size > 0 && isOpenAtFirst !== opening.toggled.has(key)
    const base = { path, value: inner, name: path.at(-1) ?? null, level, ...place }
    rows.push({ ...base, key, size, isOpen, hidden: 0 })
    if (entries === null || !isOpen) return
    const count = Math.min(entries.length, opening.shown.get(key) ?? ROWS_PER_PAGE)
    const siblings = count < entries.length ? count + 1 : count
    entries
      .slice(0, count)
      .forEach(([name, item], index) => add([...path, name], item, { position: index + 1, siblings }))
    if (count === entries.length) return
    const rest = { key: `${key} more`, level: level + 1, position: siblings, siblings, hidden: entries.length - count }
    rows.push({ ...base, ...rest, name: null, size: null, isOpen: false })
  }
  add([], value, { position: 1, siblings: 1 })
  return rows
}

/** Formats a path as in code: `items[0].title`, `["two words"]`. The root is `$`. */
export function toPathText(path: JsonPath): string {
  const text = path
    .map((name) => {
      if (typeof name === 'number') return `[${name}]`
      return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
    })
    .join('')
  return text === '' ? '$' : text.replace(/^\./, '')
}

/** Returns a short preview of a value on one line. */
export function toValuePreview(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value)
    return names.length === 0 ? '{}' : `{ ${names.slice(0, 4).join(', ')}${names.length > 4 ? ', …' : ''} }`
  }
  return JSON.stringify(value) ?? String(value)
}

function entriesOf(value: unknown): (readonly [string | number, unknown])[] | null {
  if (Array.isArray(value)) return value.map((item, index) => [index, item] as const)
  return typeof value === 'object' && value !== null ? Object.entries(value) : null
}
