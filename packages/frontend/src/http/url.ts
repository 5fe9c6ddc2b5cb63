import { fillPath, toQueryText } from '@sdk/protocol'

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
