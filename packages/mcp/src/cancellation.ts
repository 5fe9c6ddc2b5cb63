import { getCancellations, type CancellableCall, type Context } from '@sdk/server'

/**
 * The header of clients before 2026-07-28, which cancel a call by a message in another request. Nothing is stored under
 * a session id: it only separates the calls of a client from those of others, which have the same request ids.
 */
const HEADER = 'mcp-session-id'
const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Calls with longer ids cannot be cancelled by a message. */
const MAX_ID_LENGTH = 100

/** Adds a new session id to the response to an `initialize` message. */
export function addSessionId(response: Response, message: unknown): Response {
  if (methodOf(message) === 'initialize' && response.ok) response.headers.set(HEADER, crypto.randomUUID())
  return response
}

/** Registers a call for `cancelCall`, or returns null if the client cannot cancel it. */
export function openCall(ctx: Context<unknown, unknown>, id: unknown): CancellableCall | null {
  const key = toKey(ctx, id)
  return key === null ? null : getCancellations(ctx).open(key)
}

/** Cancels a call if the message requests it. Users can cancel only their own calls. */
export function cancelCall(ctx: Context<unknown, unknown>, message: unknown): void {
  if (methodOf(message) !== 'notifications/cancelled') return
  const { params } = message as { params?: { requestId?: unknown } | null }
  const key = toKey(ctx, params?.requestId)
  if (key !== null) getCancellations(ctx).cancel(key)
}

/** Returns the response to a call that was cancelled: a stream without messages. */
export function cancelledResponse(): Response {
  return new Response('', { headers: { 'content-type': 'text/event-stream' } })
}

function methodOf(message: unknown): unknown {
  return (message as { method?: unknown } | null | undefined)?.method
}

/** Returns the key of a call of this user and session, or null if the request has no valid session id. */
function toKey(ctx: Context<unknown, unknown>, id: unknown): string | null {
  const session = ctx.header(HEADER)
  if (session === null || !SESSION_ID.test(session)) return null
  if (typeof id !== 'number' && (typeof id !== 'string' || id.length > MAX_ID_LENGTH)) return null
  return JSON.stringify([ctx.auth?.session.userId ?? null, session, id])
}
