/**
 * Rewords a library's message about a string in the wrong format. `name` is the format, as zod and valibot name it or
 * arktype describes it. Messages from the schema's author are not changed.
 */
export function toFormatMessage(message: string, name: string): string {
  const example = FORMAT_LABEL.test(message) ? FORMAT_EXAMPLES.find(([names]) => names.test(name))?.[1] : undefined
  if (example !== undefined) return `must be ${example}`
  const [phrase, replacement] = STOCK_PHRASES.find(([stock]) => stock.test(message)) ?? ['', '']
  return message.replace(phrase, replacement)
}

/** Matches a message that contains only the name of the format. */
const FORMAT_LABEL = /^(must be |Invalid [\w.-]+( [\w-]+){0,2}$)/

/** The formats whose names alone do not show what a value looks like, with an example of each. */
const FORMAT_EXAMPLES: readonly (readonly [RegExp, string])[] = [
  [/mail/, 'an email address'],
  [/^(a )?url/i, 'a URL, such as https://example.com'],
  [/^datetime|iso_timestamp|YYYY/, 'a date and time, such as 2026-01-31T10:00:00Z'],
  [/^iso_date_time$/, 'a date and time, such as 2026-01-31T10:00'],
  [/^(iso_)?date$/, 'a date, such as 2026-01-31'],
  [/^(iso_)?time$/, 'a time, such as 10:00'],
  [/^duration/, 'a duration, such as P1DT2H'],
]

/** The phrases that the three libraries use for an invalid format, and their replacements. */
const STOCK_PHRASES: readonly (readonly [RegExp, string])[] = [
  [/^must be matched by |^Invalid string: must match pattern |^Invalid format: Expected /, 'must match '],
  [/^Invalid \w+: must /, 'must '],
  [/^Invalid (start|end): Expected /, 'must $1 with '],
  [/^Invalid content: Expected !/, 'must not include '],
  [/^Invalid content: Expected /, 'must include '],
  [/^Invalid (lower|upper)case$/, 'must be $1case'],
  [/^Invalid (?!input$)([\w.-]+( [\w-]+){0,2})$/, 'must be a valid $1'],
]
