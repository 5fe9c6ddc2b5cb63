import { paramNames } from '@sdk/protocol'
import type { Run, RunText } from '../../run.ts'
import { EMPTY_INPUT, type CallInput } from '../input/call-input.ts'

/** Headers that every client writes by itself, or that are of the connection or of a secret. */
const OWN =
  /^(?:accept.*|authorization|cache-control|connection|content-.*|cookie|dnt|expect|forwarded|host|origin|pragma|priority|proxy-.*|referer|sec-.*|te|trace.*|transfer-encoding|upgrade.*|user-agent|via|x-forwarded-.*|x-real-ip|x-request-id|x-sdk-.*)$/

/** What a run was called with, to call it so again; a body that was not kept whole is left out. */
export function inputOf({ request, route, target }: Run): CallInput {
  const { pathname, searchParams } = new URL(target, 'http://x')
  return {
    body: bodyOf(request.body),
    headers: request.headers.filter(([name]) => !OWN.test(name)),
    params: paramsOf(route, pathname),
    query: Object.fromEntries(searchParams),
  }
}

/** What an agent was called with inside of a run; undefined where there is no such span. */
export function inputOfSpan(run: Run, spanId: number): CallInput | undefined {
  const span = run.spans.find(({ id }) => id === spanId)
  return span === undefined ? undefined : { ...EMPTY_INPUT, body: bodyOf(span.input) }
}

/** Was the body of the call not kept, or not whole, so that the same call cannot be made again? */
export function isLost(text: RunText | null): boolean {
  return text !== null && (text.isCut || text.encoding !== undefined)
}

function bodyOf(text: RunText | null): string {
  if (text === null || isLost(text)) return ''
  try {
    return JSON.stringify(JSON.parse(text.text), null, 2)
  } catch {
    return text.text // what is no JSON is sent again as it was
  }
}

/** The parts of a path that the route has names for. */
function paramsOf(route: string | null, pathname: string): Record<string, string> {
  const pattern = route?.slice(route.indexOf(' ') + 1) ?? ''
  if (paramNames(pattern).length === 0) return {}
  const given = pathname.split('/')
  return Object.fromEntries(
    pattern
      .split('/')
      .flatMap((part, index) => (part.startsWith(':') ? [[part.slice(1), decode(given[index] ?? '')]] : [])),
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a lone percent sign
  }
}
