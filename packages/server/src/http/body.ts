import { validate, type ApiError, type DetailSource, type Schema, type Validated } from '@sdk/protocol'
import { andThen } from './and-then.ts'
import type { Call } from './call.ts'
import { parseJson } from './json.ts'
import { refuse, refuseInvalid } from './refusal.ts'

/** Does this `Content-Type` say JSON in UTF-8? */
export function isJson(type: string | null): boolean {
  return (
    type === 'application/json' ||
    /^application\/(?:json|merge-patch\+json)\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type?.trim() ?? '')
  )
}

/** The JSON a caller sent; undefined where it sent nothing. Another media type, charset or encoding is 415. */
export function readJson(call: Call, limit: number): unknown {
  const type = call.header('content-type')
  const encoding = call.header('content-encoding')
  if (encoding !== null && encoding !== 'identity') {
    throw refuse('UNSUPPORTED_MEDIA_TYPE', 'send the body as it is, with no Content-Encoding', {
      headers: { 'accept-encoding': 'identity' },
    })
  }
  if (type !== null && !isJson(type)) throw notJson()
  return andThen(call.text(limit), (text) => {
    if (text === '') return undefined
    if (type === null) throw notJson()
    return parseJson(text)
  })
}

/** A value that passed its schema; its faults are one 400. */
export function check<T>(schema: Schema<unknown, T>, value: unknown, source: DetailSource): T | Promise<T> {
  return andThen(validate(schema, value, source), passed)
}

function passed<T>(result: Validated<T>): T {
  if (result.ok) return result.value
  throw refuseInvalid(result.details)
}

function notJson(): ApiError {
  return refuse('UNSUPPORTED_MEDIA_TYPE', 'send JSON, with Content-Type: application/json', {
    headers: { accept: 'application/json' },
  })
}
