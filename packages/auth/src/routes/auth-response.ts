import { ApiError, type ErrorDetail, type ErrorEnvelope } from '@sdk/protocol'
import { attachError } from '@sdk/server'
import { toErrorBody } from './auth-error.ts'
import { toIssueDetails } from './auth-issues.ts'
import { hideTokens } from './hide-tokens.ts'

/**
 * Converts a response from Better Auth. An error keeps Better Auth's members, which its own clients read, and gets the
 * envelope, which SDK clients read. Responses are never cached and contain no session tokens.
 */
export async function toAuthResponse(
  answer: Response,
  { tokens, body }: { tokens: ReadonlySet<string>; body: Readonly<Record<string, unknown>> },
): Promise<Response> {
  const headers = new Headers(answer.headers)
  if (answer.status < 400) return passThrough(answer, headers, tokens)
  const retryAfter = Number(answer.headers.get('retry-after') ?? answer.headers.get('x-retry-after') ?? 1)
  const members = answer.status < 500 ? parseMembers(await answer.text()) : {}
  return toErrorReply(members, { status: answer.status, headers, details: toIssueDetails(members, body), retryAfter })
}

/** Converts an `ApiError` to a response with the envelope and the members that Better Auth's clients read. */
export function toErrorResponse(error: ApiError): Response {
  const { status, code, message, details, retryAfter } = error
  return toErrorReply({ code, message }, { status, headers: new Headers(error.headers), details, retryAfter })
}

async function passThrough(answer: Response, headers: Headers, tokens: ReadonlySet<string>): Promise<Response> {
  const { status } = answer
  headers.set('cache-control', 'no-store')
  if (!headers.get('content-type')?.startsWith('application/json'))
    return new Response(answer.body, { status, headers })
  headers.delete('content-length')
  const body = await answer.text()
  return new Response(body === '' ? body : JSON.stringify(hideTokens(JSON.parse(body), tokens)), { status, headers })
}

interface ErrorReply {
  readonly status: number
  readonly headers: Headers
  readonly details?: ErrorDetail[]
  readonly retryAfter?: number | undefined
}

function toErrorReply(members: Record<string, unknown>, refused: ErrorReply): Response {
  const { status, headers, retryAfter = 1 } = refused
  headers.set('cache-control', 'no-store')
  headers.set('content-type', 'application/json')
  headers.delete('content-length')
  if (status === 401) headers.set('www-authenticate', 'Bearer')
  if (status === 429 || status === 503) headers.set('retry-after', String(Math.max(1, Math.ceil(retryAfter) || 1)))
  const envelope = withEnvelope(members, refused)
  const { code, message, details } = envelope.error
  // If the app has a `formatError`, the app formats this error and replaces the body.
  const error = new ApiError(code, message, { status, details })
  return attachError(new Response(JSON.stringify(envelope), { status, headers }), error)
}

function withEnvelope(members: Record<string, unknown>, refused: ErrorReply): ErrorEnvelope {
  const error = toErrorBody(members, refused)
  const known = { code: error.code, ...members, message: error.message }
  return { ...known, error }
}

function parseMembers(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // Better Auth responds to unknown paths without a body.
    return {}
  }
}
