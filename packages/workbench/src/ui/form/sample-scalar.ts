import type { JsonSchema } from './json-schema.ts'
import type { Json } from './json-tree.ts'

const BY_FORMAT: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '3f2b8c1e-6f1d-4c0a-9b7e-2d5a1f0c8e44',
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00',
  duration: 'PT1H',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  hostname: 'example.com',
}

/** A text that a schema would take, as far as its format and its length say. */
export function sampleText({ format, minLength, maxLength }: JsonSchema): string {
  const base = BY_FORMAT[String(format)] ?? 'text'
  const least = Math.min(Number(minLength ?? 0), 1000)
  const long = base.padEnd(least, ' text')
  return maxLength === undefined ? long : long.slice(0, Number(maxLength))
}

/** A number that a schema would take. */
export function sampleNumber(schema: JsonSchema): Json {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf, type } = schema
  const step = Number(multipleOf ?? 1)
  const least = Math.max(Number(minimum ?? -Infinity), Number(exclusiveMinimum ?? -Infinity))
  const most = Math.min(Number(maximum ?? Infinity), Number(exclusiveMaximum ?? Infinity))
  const low = Math.ceil(least / step) * step
  const high = Math.floor(most / step) * step
  // A narrow range may have no whole number in it.
  const middle = type === 'integer' ? Number.NaN : (least + most) / 2
  const isIn = (value: number): boolean =>
    value >= least && value <= most && value !== exclusiveMinimum && value !== exclusiveMaximum
  const value = [0, low, low + step, high, high - step, middle].find((each) => Number.isFinite(each) && isIn(each))
  return { kind: 'number', text: JSON.stringify(value ?? 0) }
}
