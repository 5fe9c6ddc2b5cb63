/**
 * Returns the text of a query parameter, or undefined if the parameter is omitted. See `QueryValue` for the types. Throws
 * a `TypeError` for an object.
 */
export function toQueryText(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (value instanceof Date) return value.toISOString()
  // Items are joined with commas: according to the API conventions, a repeated name is an error.
  if (Array.isArray(value)) {
    const texts = value.flatMap((item) => toQueryText(item, name) ?? [])
    // The names are sorted, since their order has no effect and requests for the same names should have the same URL.
    if (name === 'expand') texts.sort()
    return texts.join(',')
  }
  if (value instanceof Object)
    throw new TypeError(`query.${name} must be a string, number, boolean, date or array of these, got ${typeof value}`)
  // oxlint-disable-next-line typescript/no-base-to-string -- objects were rejected above
  return String(value)
}
