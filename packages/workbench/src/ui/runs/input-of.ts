import type { Run } from '../../run.ts'
import { parseJson } from '../components/parse-json.ts'
import { EMPTY_INPUT, type CallInput } from '../input/call-input.ts'
import { isLost } from '../run/run-input.ts'

/** Headers that clients and proxies set automatically and that are not part of the input. */
const CLIENT_HEADERS = new Set(
  [
    'accept accept-encoding accept-language authorization cache-control connection content-length content-type cookie',
    'host origin pragma priority referer traceparent tracestate transfer-encoding user-agent x-request-id x-sdk-caller',
  ].flatMap((line) => line.split(' ')),
)

/** Returns the input of a recorded run, which can be used to repeat the call. */
export function inputOf(run: Run): CallInput {
  const {
    route,
    target,
    request: { body, headers },
  } = run
  if (run.via !== undefined) return inputOfTool(run)
  const { pathname, searchParams } = new URL(target, 'http://any')
  return {
    body: body === null || body.encoding === 'base64' ? '' : body.text,
    headers: headers.filter(([name]) => !CLIENT_HEADERS.has(name) && !name.startsWith('sec-')),
    params: paramsOf(route?.replace(/^\S+ /, '') ?? '', pathname),
    query: queryOf(searchParams),
  }
}

/** Returns the input of a tool call as a request to its route. */
function inputOfTool({ route, spans, request }: Run): CallInput {
  const [method = '', pattern = ''] = route?.split(' ') ?? []
  const message = Object(parseJson(request.body?.text ?? '')) as { params?: { arguments?: object } }
  const named = new Set(pattern.split('/').flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : [])))
  const all = Object.entries(Object(message.params?.arguments) as Record<string, unknown>)
  const pick = (isParam: boolean): [string, unknown][] => all.filter(([name]) => named.has(name) === isParam)
  const params = Object.fromEntries(pick(true).map(([name, value]) => [name, String(value)]))
  const rest = Object.fromEntries(pick(false))
  if (!method.startsWith('P')) return { ...EMPTY_INPUT, params, query: rest as CallInput['query'] }
  // The first span is the call of the route: its input is the body, without query parameters.
  const [sent = null] = spans.flatMap(({ input }) => input ?? [])
  return { ...EMPTY_INPUT, params, body: sent === null || isLost(sent) ? JSON.stringify(rest) : sent.text }
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
