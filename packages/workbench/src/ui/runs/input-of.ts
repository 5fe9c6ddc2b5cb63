import type { Run } from '../../run.ts'
import type { CallInput } from '../input/call-input.ts'

/** Headers that clients and proxies set automatically and that are not part of the input. */
const CLIENT_HEADERS = new Set(
  [
    'accept accept-encoding accept-language authorization cache-control connection content-length content-type cookie',
    'host origin pragma priority referer traceparent tracestate transfer-encoding user-agent x-request-id x-sdk-caller',
  ].flatMap((line) => line.split(' ')),
)

/** Returns the input of a recorded run, which can be used to repeat the call. */
export function inputOf({ route, target, request: { body, headers } }: Run): CallInput {
  const { pathname, searchParams } = new URL(target, 'http://any')
  return {
    body: body === null || body.encoding === 'base64' ? '' : body.text,
    headers: headers.filter(([name]) => !CLIENT_HEADERS.has(name) && !name.startsWith('sec-')),
    params: paramsOf(route?.replace(/^\S+ /, '') ?? '', pathname),
    query: queryOf(searchParams),
  }
}

function paramsOf(pattern: string, path: string): Record<string, string> {
  const parts = path.split('/')
  const named = pattern.split('/').map((name, index) => [name, parts[index] ?? ''] as const)
  return Object.fromEntries(
    named.filter(([name]) => name.startsWith(':')).map(([name, value]) => [name.slice(1), decodeParam(value)]),
  )
}

function queryOf(search: URLSearchParams): CallInput['query'] {
  const names = [...new Set(search.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const values = search.getAll(name)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}

function decodeParam(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // keep the text as sent
  }
}
