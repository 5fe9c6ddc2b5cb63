import { ApiError, invalidRequest, validate, type DetailSource, type Schema } from '@sdk/protocol'
import type { Call } from './call.ts'

/** The largest JSON body. */
export const MAX_BODY = 1_048_576

/** The JSON a caller sent; `undefined` where it sent nothing. Another media type is 415. */
export async function readJson(call: Call): Promise<unknown> {
  const type = call.header('content-type')
  const bytes = type === null || isJson(type) ? await call.bytes(MAX_BODY) : null
  if (bytes?.length === 0) return undefined
  if (bytes === null || type === null) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'send JSON with Content-Type: application/json', {
      headers: { accept: 'application/json' },
    })
  }
  return parseJson(bytes)
}

/** Does this media type say JSON? */
export function isJson(type: string | null): boolean {
  return /^application\/(?:json|merge-patch\+json)\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type?.trim() ?? '')
}

/** A value that passed its schema; its faults are one 400. */
export async function check<T>(schema: Schema<unknown, T>, value: unknown, source: DetailSource): Promise<T> {
  const result = await validate(schema, value, source)
  if (result.ok) return result.value
  throw invalidRequest(result.details)
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch (cause) {
    const message = 'is no JSON in UTF-8'
    throw new ApiError('INVALID_REQUEST', `body ${message}`, {
      cause,
      details: [{ code: 'INVALID_FORMAT', message, source: 'body', pointer: '' }],
    })
  }
}
