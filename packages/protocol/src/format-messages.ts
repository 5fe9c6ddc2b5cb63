/**
 * What a text must be that a library says it is not, in our words: `name` is the format's, as zod and valibot call it or
 * arktype describes it. Words of the schema's author stay as they are.
 */
export function toFormatMessage(said: string, name: string): string {
  const known = FORMAT_LABEL.test(said) ? FORMAT_EXAMPLES.find(([names]) => names.test(name)) : undefined
  if (known !== undefined) return `must be ${known[1]}`
  const [phrase, ours] = STOCK_PHRASES.find(([one]) => one.test(said)) ?? ['', '']
  return said.replace(phrase, ours)
}

/** Does it only name the format? */
const FORMAT_LABEL = /^(must be |Invalid [\w.-]+( [\w-]+){0,2}$)/

/** Formats whose name alone does not tell how they are written. */
const FORMAT_EXAMPLES: readonly (readonly [RegExp, string])[] = [
  [/mail/, 'an e-mail address'],
  [/^(a )?url/i, 'a URL, such as https://example.com'],
  [/^datetime|iso_timestamp|YYYY/, 'a date and time, such as 2026-01-31T10:00:00Z'],
  [/^iso_date_time$/, 'a date and time, such as 2026-01-31T10:00'],
  [/^(iso_)?date$/, 'a date, such as 2026-01-31'],
  [/^(iso_)?time$/, 'a time, such as 10:00'],
  [/^duration/, 'a duration, such as P1DT2H'],
]

/** How the three libraries speak of what is no such text, and how we do. */
const STOCK_PHRASES: readonly (readonly [RegExp, string])[] = [
  [/^must be matched by |^Invalid string: must match pattern |^Invalid format: Expected /, 'must match '],
  [/^Invalid \w+: must /, 'must '],
  [/^Invalid (start|end): Expected /, 'must $1 with '],
  [/^Invalid content: Expected !/, 'must not include '],
  [/^Invalid content: Expected /, 'must include '],
  [/^Invalid (lower|upper)case$/, 'must be $1case'],
  [/^Invalid (?!input$)([\w.-]+( [\w-]+){0,2})$/, 'must be a valid $1'],
]
