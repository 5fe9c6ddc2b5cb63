import { codeOfStatus, type ErrorEnvelope } from '@sdk/protocol'

/**
 * An answer of the auth library as ours: an error keeps the library's members, which its own
 * clients read, and gains the envelope, which ours read. Nothing of it is ever cached.
 */
export async function toAuthResponse(answer: Response): Promise<Response> {
  const headers = new Headers(answer.headers)
  headers.set('cache-control', 'no-store')
  if (answer.status < 400) return new Response(answer.body, { status: answer.status, headers })
  if (answer.status === 401) headers.set('www-authenticate', 'Bearer')
  headers.set('content-type', 'application/json')
  headers.delete('content-length')
  const body = withEnvelope(answer.status, parseMembers(await answer.text()))
  return new Response(JSON.stringify(body), { status: answer.status, headers })
}

function withEnvelope(status: number, members: Record<string, unknown>): ErrorEnvelope {
  const { code, message } = members
  return {
    ...members,
    error: {
      code: toCode(status, code),
      message: typeof message === 'string' && message !== '' ? message : `The auth routes answered ${status}`,
      details: [],
    },
  }
}

/** The library's codes say more than a status, but for a malformed request there is one code everywhere. */
function toCode(status: number, code: unknown): string {
  const isUsable = typeof code === 'string' && code !== 'VALIDATION_ERROR' && /^[A-Z][A-Z0-9_]{0,62}$/.test(code)
  return isUsable ? code : codeOfStatus(status)
}

function parseMembers(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // The library answers unknown paths with no body at all.
    return {}
  }
}
