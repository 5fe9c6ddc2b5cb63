import type { Peer } from '../define/peer.ts'
import { invalidRequest, isApiError, validate, type ApiError } from '@sdk/protocol'
import { isThenable } from '../platform/and-then.ts'
import { isOutage, toApiError } from '../http/error-response.ts'
import { assertStorableJson } from '../http/json.ts'
import { inputSchemaOf } from '../schema/alternatives.ts'
import { toJsonBounds, type JsonBounds, type JsonLimits } from '../schema/json-bounds.ts'
import type { Log } from '../log/log.ts'
import type { ClientMessage } from './inbox.ts'
import type { AnySocketDefinition } from '../define/socket.ts'

/** The logs for handler errors. */
export interface HandlerLogs {
  readonly start: { readonly log: Log }
  /** The throttled log, for errors that affect all clients, such as an unavailable engine. */
  readonly deps: { readonly log: Log }
}

/** The context that a handler runs in. */
export interface HandlerContext extends HandlerLogs {
  readonly socket: AnySocketDefinition
  readonly peer: Peer<unknown, never>
}

type ReceivedMessage = Pick<ClientMessage, 'data' | 'error'>

/** Returns the limits for messages that clients send to a socket. */
export function toMessageBounds({ receive, limits }: AnySocketDefinition, ofApp: Required<JsonLimits>): JsonBounds {
  return toJsonBounds(receive && inputSchemaOf(receive), ofApp, limits)
}

/** Returns an error if a message cannot be stored or contains too many values. Otherwise, returns null. */
export function checkMessage(data: unknown, hasEscapes: boolean, bounds: JsonBounds): ApiError | null {
  try {
    assertStorableJson(data, hasEscapes, bounds)
    return null
  } catch (thrown) {
    if (isApiError(thrown)) return thrown
    throw thrown
  }
}

/** Validates a message and runs its handler. Returns the error to send to the client, or null. Never throws. */
export function runMessageHandler(
  message: ReceivedMessage,
  handling: HandlerContext,
): ApiError | null | Promise<ApiError | null> {
  const { socket, peer } = handling
  const { data, error } = message
  if (socket.message === undefined) return null
  if (error !== null) return error
  try {
    const checked = socket.receive === undefined ? null : validate(socket.receive, data)
    if (checked instanceof Promise) return runAfterValidation(checked, handling)
    if (checked?.ok === false) return invalidRequest(checked.details)
    const result = socket.message(peer, (checked === null ? data : checked.value) as never)
    return isThenable(result) ? runToEnd(result, handling) : null
  } catch (thrown) {
    return toHandlerError(thrown, handling)
  }
}

/** Converts a thrown value to an error, even if reading the value throws. */
export function toHandlerError(thrown: unknown, { start, deps }: HandlerLogs): ApiError {
  try {
    return toApiError(thrown, () => (isOutage(thrown) ? deps.log : start.log))
  } catch (why) {
    return toApiError(new Error('the thrown value could not be converted to an error', { cause: why }), () => start.log)
  }
}

async function runAfterValidation(
  checking: ReturnType<typeof validate>,
  handling: HandlerContext,
): Promise<ApiError | null> {
  try {
    const checked = await checking
    if (!checked.ok) return invalidRequest(checked.details)
    await handling.socket.message?.(handling.peer, checked.value as never)
    return null
  } catch (thrown) {
    return toHandlerError(thrown, handling)
  }
}

async function runToEnd(result: PromiseLike<unknown>, handling: HandlerContext): Promise<ApiError | null> {
  try {
    await result
    return null
  } catch (thrown) {
    return toHandlerError(thrown, handling)
  }
}

/** Validates a message to clients and serializes the schema's output. Throws a `TypeError` if validation fails. */
export function toMessageJson(schema: AnySocketDefinition['send'], message: unknown): string {
  const checked = schema === undefined ? null : validate(schema, message)
  // Waiting for an asynchronous schema would reorder messages, so such schemas are only used for types.
  const isKnown = checked !== null && !(checked instanceof Promise)
  if (isKnown && !checked.ok)
    throw new TypeError(`message does not match the socket's send schema: ${invalidRequest(checked.details).message}`)
  const json = JSON.stringify(isKnown && checked.ok ? checked.value : message) as string | undefined
  if (json === undefined) throw new TypeError(`a message must be serializable as JSON, got ${typeof message}`)
  return json
}
