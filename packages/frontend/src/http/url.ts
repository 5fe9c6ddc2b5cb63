import { fillPath } from '@sdk/protocol'

/** The variable parts of a URL. */
export interface UrlOptions {
  /** The values of the path's `:name` parameters, which are percent-encoded. */
  params?: Readonly<Record<string, string | number>> | undefined
  /** The query parameters. See `QueryValue` for their types. @default {} */
  query?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Returns the URL of a path under a base URL, which may be absolute (`https://api.example.com/v2`), relative (`/v2`) or
 * empty.
 * @example buildUrl('https://x.dev/', '/api/v1/tasks/:id', { params: { id: 7 }, query: { fields: ['id', 'title'] } })
 * // 'https://x.dev/api/v1/tasks/7?fields=id%2Ctitle'
 */
export function buildUrl(base: string, path: string, options: UrlOptions = {}): string {
  const [, root = '', baseQuery] = /^([^?#]*)(?:\?([^#]*))?/.exec(base) ?? []
  const search = new URLSearchParams(baseQuery)
  for (const [name, value] of Object.entries(options.query ?? {})) {
    const text = toQueryText(value, name)
    if (text !== undefined) search.set(name, text)
  }
  const text = search.toString()
  return root.replace(/\/+$/, '') + fillPath(path, options.params) + (text && `?${text}`)
}

function toQueryText(value: unknown, name: string): string | undefined {
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
