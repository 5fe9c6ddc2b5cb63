/** Names that are often wanted. */
export const SUGGESTED_HEADERS: readonly string[] = [
  'accept',
  'accept-language',
  'authorization',
  'cache-control',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'prefer',
  'traceparent',
  'x-request-id',
]

/** The headers that a browser lets no page set: https://fetch.spec.whatwg.org/#forbidden-request-header */
const FORBIDDEN_HEADERS =
  /^(?:accept-charset|accept-encoding|access-control-request-(?:headers|method|private-network)|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|(?:proxy|sec)-.*)$/i

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/

/** Why a header cannot have this name; null where it can. An empty name is no issue. */
export function headerNameIssue(name: string): string | null {
  if (name === '') return null
  if (!HEADER_NAME.test(name)) return "may have letters, digits and !#$%&'*+-.^_`|~ only"
  return FORBIDDEN_HEADERS.test(name) ? 'is set by the browser: it will not be sent' : null
}

/** Why a header cannot have this value; null where it can. */
export function headerValueIssue(value: string): string | null {
  // oxlint-disable-next-line no-control-regex -- they are what must not be there
  return /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(value)
    ? 'has a sign that a header cannot carry'
    : null
}
