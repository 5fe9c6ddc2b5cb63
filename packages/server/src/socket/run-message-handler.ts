import type { Peer } from '../define/peer.ts'
import { invalidRequest, isApiError, validate, type ApiError } from '@sdk/protocol'
import { isThenable } from '../platform/and-then.ts'
import { isOutage, toApiError } from '../http/error-response.ts'
import { assertStorableJson } from '../http/json.ts'
import { inputSchemaOf } from '../schema/alternatives.ts'
import { toJsonBounds, type JsonLimits } from '../schema/json-bounds.ts'
import type { Log } from '../log/log.ts'
import type { ClientMessage } from './inbox.ts'
import type { AnySocketDefinition } from '../define/socket.ts'

/** The logs for what goes wrong. */
export interface HandlerLogs {
  readonly start: { readonly log: Log }
  /** What fails for all at once, as without an engine, is told there. */
  readonly deps: { readonly log: Log }
}

/** A handler at work. */
export interface HandlerContext extends HandlerLogs {
  readonly socket: AnySocketDefinition
  readonly peer: Peer<unknown, never>
}

type ReceivedMessage = Pick<ClientMessage, 'data' | 'error'>

/** Where a message came. */
interface MessageReceiver {
  readonly socket: AnySocketDefinition
  readonly deps: { readonly limits: Required<JsonLimits> }
}

/** Returns the error of a message that cannot be stored or has too many values; null: it may wait for its handler. */
export function checkMessage(data: unknown, hasEscapes: boolean, { socket, deps }: MessageReceiver): ApiError | null {
  const { receive, limits } = socket
  try {
    assertStorableJson(data, hasEscapes, toJsonBounds(receive && inputSchemaOf(receive), deps.limits, limits))
    return null
  } catch (thrown) {
    if (isApiError(thrown)) return thrown
    throw thrown
  }
}

/** Checks a message and runs its handler. What goes wrong is the error for the sender; it never throws. */
export function runMessageHandler(
  message: ReceivedMessage,
  handling: HandlerContext,
): ApiError | null | Promise<ApiError | null> {
  const { socket, peer } = handling
  const { data, error } = message
  if (socket.message === undefined) return null
  if (error !== null) return error
  const failed = (thrown: unknown): ApiError => toHandlerError(thrown, handling)
  try {
    const checked = socket.receive === undefined ? null : validate(socket.receive, data)
    if (checked instanceof Promise) return runAfterValidation(checked, handling).catch(failed)
    if (checked?.ok === false) return invalidRequest(checked.details)
    const result = socket.message(peer, (checked === null ? data : checked.value) as never)
    return isThenable(result) ? Promise.resolve(result).then(() => null, failed) : null
  } catch (thrown) {
    return failed(thrown)
  }
}

/** The error for whatever was thrown, even something that throws when it is looked at. */
export function toHandlerError(thrown: unknown, { start, deps }: HandlerLogs): ApiError {
  try {
    return toApiError(thrown, () => (isOutage(thrown) ? deps.log : start.log))
  } catch (why) {
    return toApiError(new Error('what was thrown cannot be read', { cause: why }), () => start.log)
  }
}

async function runAfterValidation(
  checking: ReturnType<typeof validate>,
  { socket, peer }: HandlerContext,
): Promise<ApiError | null> {
  const checked = await checking
  if (!checked.ok) return invalidRequest(checked.details)
  await socket.message?.(peer, checked.value as never)
  return null
}

/** A message to clients as JSON text, as the schema makes it. What it forbids is a `TypeError` where it is sent. */
export function toMessageJson(schema: AnySocketDefinition['send'], message: unknown): string {
  const checked = schema === undefined ? null : validate(schema, message)
  // To wait for an asynchronous schema would mix up the order of messages: of such, only the types are checked.
  const isKnown = checked !== null && !(checked instanceof Promise)
  if (isKnown && !checked.ok)
    throw new TypeError(`this socket does not send that: ${invalidRequest(checked.details).message}`)
  const json = JSON.stringify(isKnown && checked.ok ? checked.value : message) as string | undefined
  if (json === undefined) throw new TypeError(`a message is JSON, got ${typeof message}`)
  return json
}
