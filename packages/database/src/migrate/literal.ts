import type { Field, FieldType } from '@sdk/server'

/** Returns the SQL for a field's default, or null if there is no default or the default does not match the type. */
export function toDefaultLiteral({ type, default: value }: Pick<Field, 'type' | 'default'>): string | null {
  if (value === undefined || value === null || !FITS[type](value)) return null
  if (type === 'json') return `${quoteString(JSON.stringify(value))}::jsonb`
  return typeof value === 'string' ? quoteString(value) : JSON.stringify(value)
}

/** Values that any column of a type accepts, as placeholders for the developer to replace. */
export const NEUTRAL_VALUES: Readonly<Record<FieldType, string>> = {
  string: "''",
  integer: '0',
  number: '0',
  boolean: 'false',
  timestamp: 'now()',
  date: 'current_date',
  json: "'{}'::jsonb",
}

/** Placeholders for unique columns, which differ in each row. */
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
  // The format is checked because PostgreSQL also accepts words such as 'now' and 'infinity' as dates.
  timestamp: (value) => isDate(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/),
  date: (value) => isDate(value, /^\d{4}-\d\d-\d\d$/),
  // PostgreSQL cannot store U+0000 or lone surrogates in JSON.
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
  // Whether a backslash is literal depends on a setting, except in a string with the prefix E.
  return quoted.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted
}
