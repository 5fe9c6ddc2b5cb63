import type { Field, FieldType } from '@sdk/server'

/** SQL of a field's default; null where it has none, or one that is no value of its type. */
export function toDefaultLiteral({ type, default: value }: Pick<Field, 'type' | 'default'>): string | null {
  if (value === undefined || value === null || !FITS[type](value)) return null
  if (type === 'json') return `${quoteString(JSON.stringify(value))}::jsonb`
  return typeof value === 'string' ? quoteString(value) : JSON.stringify(value)
}

/** A value that any column of a type takes, for people to put another in its place. */
export const NEUTRAL_VALUES: Readonly<Record<FieldType, string>> = {
  string: "''",
  integer: '0',
  number: '0',
  boolean: 'false',
  timestamp: 'now()',
  date: 'current_date',
  json: "'{}'::jsonb",
}

/** The same for columns where no two rows have one value. */
export const DISTINCT_VALUES: Readonly<Record<FieldType, string>> = {
  ...NEUTRAL_VALUES,
  string: '"id"::text',
  integer: '"id"',
  number: '"id"',
  timestamp: `now() + "id" * interval '1 millisecond'`,
  date: 'current_date + "id"::integer',
}

const FITS: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: isStorableText,
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  // Words such as 'now' and 'infinity' would be dates to PostgreSQL.
  timestamp: (value) => isDate(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/),
  date: (value) => isDate(value, /^\d{4}-\d\d-\d\d$/),
  // PostgreSQL keeps neither U+0000 nor half a character in JSON.
  json: (value) => !/\\u(0000|d[89a-f])/.test(JSON.stringify(value)),
}

function isStorableText(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('\0')
}

function isDate(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value) && !Number.isNaN(Date.parse(value))
}

function quoteString(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`
  // Whether a backslash means itself is a setting, but not behind an E.
  return quoted.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted
}
