import type { JsonSchema } from '../schema/json-schema.ts'

/** The schema of a timestamp in responses. */
export const TIMESTAMP_SCHEMA: JsonSchema = {
  type: 'string',
  format: 'date-time',
  maxLength: 24,
  pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`,
  examples: ['2026-01-31T10:00:00.000Z'],
}

/** The schema of a date in requests and responses. */
export const DATE_SCHEMA: JsonSchema = {
  type: 'string',
  format: 'date',
  maxLength: 10,
  pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
  examples: ['2026-01-31'],
}

/** The schema of a timestamp in requests, with any UTC offset and optional fractional seconds. */
export const TIMESTAMP_INPUT_SCHEMA: JsonSchema = {
  ...TIMESTAMP_SCHEMA,
  maxLength: 38,
  pattern: String.raw`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,12})?([Zz]|[+\-]\d{2}:\d{2})$`,
}
