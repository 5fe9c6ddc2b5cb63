import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  ApiError,
  codeOfStatus,
  CommonApiError,
  ERROR_STATUS,
  fromEnvelope,
  isApiError,
  isEnvelope,
  MAX_DETAILS,
  toEnvelope,
  type ErrorDetail,
} from './index.ts'

const code = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,62}$/)
const detail = fc.record({ code, message: fc.string() }).map((members): ErrorDetail => members)

describe('ERROR_STATUS', () => {
  it('has every status and code of the API conventions', () => {
    expect(ERROR_STATUS).toMatchObject({
      INVALID_REQUEST: 400,
      UNAUTHORIZED: 401,
      FORBIDDEN: 403,
      NOT_FOUND: 404,
      METHOD_NOT_ALLOWED: 405,
      NOT_ACCEPTABLE: 406,
      REQUEST_TIMEOUT: 408,
      CONFLICT: 409,
      IDEMPOTENCY_KEY_IN_USE: 409,
      GONE: 410,
      PRECONDITION_FAILED: 412,
      CONTENT_TOO_LARGE: 413,
      URI_TOO_LONG: 414,
      UNSUPPORTED_MEDIA_TYPE: 415,
      IDEMPOTENCY_KEY_REUSED: 422,
      PRECONDITION_REQUIRED: 428,
      TOO_MANY_REQUESTS: 429,
      REQUEST_HEADER_FIELDS_TOO_LARGE: 431,
      INTERNAL_SERVER_ERROR: 500,
      NOT_IMPLEMENTED: 501,
      BAD_GATEWAY: 502,
      SERVICE_UNAVAILABLE: 503,
      GATEWAY_TIMEOUT: 504,
    })
  })
})

describe('ApiError', () => {
  it('gets its status from the table of codes', () => {
    expect(new ApiError('CONFLICT', 'title is taken')).toMatchObject({
      name: 'ApiError',
      code: 'CONFLICT',
      message: 'title is taken',
      status: 409,
      details: [],
      headers: {},
      requestId: undefined,
      retryAfter: undefined,
    })
  })

  it('is an Error with an optional cause', () => {
    const cause = new Error('disk full')
    const error = new ApiError('INTERNAL_SERVER_ERROR', 'oops', { cause })
    expect(error).toBeInstanceOf(Error)
    expect(error.cause).toBe(cause)
    expect('cause' in new ApiError('INTERNAL_SERVER_ERROR', 'oops')).toBe(false)
  })

  it('accepts a custom code with a status', () => {
    expect(new ApiError('SEAT_TAKEN', 'sorry', { status: 409 })).toMatchObject({ code: 'SEAT_TAKEN', status: 409 })
    expect(() => new ApiError('SEAT_TAKEN', 'sorry')).toThrow(new TypeError('custom code SEAT_TAKEN needs a status'))
  })

  it.each(['', 'lower', 'A-B', '1A', `A${'B'.repeat(63)}`, 'A\n', 'constructor', '__proto__'])(
    'rejects the code %j',
    (bad) => {
      expect(() => new ApiError(bad, 'x', { status: 400 })).toThrow(TypeError)
    },
  )

  it('matches CommonApiError with instanceof, which works without the table', async () => {
    expect(new CommonApiError('SEAT_TAKEN', 'sorry', { status: 409 })).toBeInstanceOf(ApiError)
    vi.resetModules()
    const alone = await import('./api-error.ts')
    const details = [{ code: 'REQUIRED', message: 'is required' }]
    const error = new alone.CommonApiError('CONFLICT', 'taken', { status: 409, details, cause: 7 })
    expect(error).toMatchObject({
      name: 'ApiError',
      code: 'CONFLICT',
      message: 'taken',
      status: 409,
      details,
      cause: 7,
    })
    expect(new alone.CommonApiError('QUEUE_FULL', 'wait')).toMatchObject({ status: 0, details: [], headers: {} })
  })

  it('keeps at most 100 details', () => {
    const details = Array.from({ length: 101 }, () => ({ code: 'REQUIRED', message: 'is required' }))
    expect(new ApiError('INVALID_REQUEST', 'x', { details }).details).toHaveLength(MAX_DETAILS)
  })
})

describe('isApiError', () => {
  it('returns true for ApiError and its subclasses', () => {
    class SeatTaken extends ApiError {
      override name = 'SeatTaken'
    }
    expect(isApiError(new ApiError('GONE', 'x'))).toBe(true)
    expect(isApiError(new SeatTaken('CONFLICT', 'x'))).toBe(true)
  })

  it('returns true for an error of another copy of the package', async () => {
    vi.resetModules()
    const copy = await import('./index.ts')
    const error = new copy.ApiError('GONE', 'x')
    expect(error).not.toBeInstanceOf(ApiError)
    expect(isApiError(error)).toBe(true)
    expect(toEnvelope(error)).toEqual({ error: { code: 'GONE', message: 'x', details: [] } })
  })

  it.each([
    null,
    undefined,
    'ApiError',
    new Error('x'),
    { name: 'ApiError', code: 'GONE', status: 410, details: [] },
    Object.assign(new Error('of another library'), { name: 'ApiError', status: 404 }),
    Object.assign(new Error('of another library'), { name: 'ApiError', status: 404, code: 'nope', details: [] }),
  ])('returns false for %o', (value) => {
    expect(isApiError(value)).toBe(false)
  })
})

describe('codeOfStatus', () => {
  it.each([
    [400, 'INVALID_REQUEST'],
    [409, 'CONFLICT'],
    [422, 'UNPROCESSABLE_CONTENT'],
    [500, 'INTERNAL_SERVER_ERROR'],
    [599, 'HTTP_599'],
  ])('converts %i to %s', (status, expected) => {
    expect(codeOfStatus(status)).toBe(expected)
  })

  it('derives a code from the reason phrase if the table has none', () => {
    expect(codeOfStatus(451, 'Unavailable For Legal Reasons')).toBe('UNAVAILABLE_FOR_LEGAL_REASONS')
    expect(codeOfStatus(404, 'Nothing Here')).toBe('NOT_FOUND')
    expect(codeOfStatus(599, '')).toBe('HTTP_599')
    expect(codeOfStatus(599, '1st try')).toBe('HTTP_599')
    expect(codeOfStatus(599, 'so '.repeat(40))).toBe('HTTP_599')
  })
})

describe('toEnvelope and fromEnvelope', () => {
  it('preserve code, message and details', () => {
    fc.assert(
      fc.property(code, fc.string({ minLength: 1 }), fc.array(detail), (name, message, details) => {
        const sent = new ApiError(name, message, { status: 418, details })
        const body: unknown = JSON.parse(JSON.stringify(toEnvelope(sent)))
        expect(isEnvelope(body)).toBe(true)
        expect(fromEnvelope(body, { status: 418 })).toEqual(sent)
      }),
    )
  })

  it('include only code, message and details', () => {
    const error = new ApiError('GONE', 'x', { cause: new Error('secret'), headers: { allow: 'GET' }, requestId: 'r' })
    expect(JSON.stringify(toEnvelope(error))).toBe('{"error":{"code":"GONE","message":"x","details":[]}}')
  })
})

describe('isEnvelope', () => {
  const error = { code: 'GONE', message: 'x', details: [] }

  it('returns true for the exact envelope', () => {
    expect(isEnvelope({ error })).toBe(true)
    expect(
      isEnvelope({ error: { ...error, details: [{ code: 'REQUIRED', message: 'is required', pointer: '/a' }] } }),
    ).toBe(true)
  })

  it.each([
    null,
    [],
    'error',
    {},
    { error: 'sign in first' },
    { error: null },
    { error, data: 1 },
    { error: { ...error, status: 410 } },
    { error: { code: 'GONE', message: 'x' } },
    { error: { ...error, code: 'gone' } },
    { error: { ...error, message: 1 } },
    { error: { ...error, details: {} } },
    { error: { ...error, details: [1] } },
    { error: { ...error, details: [{ code: 'REQUIRED' }] } },
  ])('returns false for %j', (value) => {
    expect(isEnvelope(value)).toBe(false)
  })
})

describe('fromEnvelope', () => {
  const details = [{ code: 'TOO_LONG', message: 'is too long', source: 'body' as const, pointer: '/title', max: 200 }]

  it('reads an envelope with additional members, as auth routes send it', () => {
    const body = { error: { code: 'SEAT_TAKEN', message: 'sorry', details, at: 1 }, code: 'X', message: 'y' }
    expect(fromEnvelope(body, { status: 409, requestId: 'r-1', retryAfter: 3 })).toMatchObject({
      code: 'SEAT_TAKEN',
      message: 'sorry',
      status: 409,
      details,
      requestId: 'r-1',
      retryAfter: 3,
    })
  })

  it.each([
    ['<html>502 Bad Gateway</html>', 502, 'BAD_GATEWAY: The server responded with 502 (bad gateway)'],
    [null, 404, 'NOT_FOUND: The server responded with 404 (not found)'],
    [undefined, 599, 'HTTP_599: The server responded with 599 (http 599)'],
    [{ error: 'nope' }, 400, 'INVALID_REQUEST: The server responded with 400 (invalid request)'],
    [{ error: { code: 'not a code', message: '' } }, 403, 'FORBIDDEN: The server responded with 403 (forbidden)'],
    [{ error: { code: 7, message: 'said the proxy', details: 'x' } }, 503, 'SERVICE_UNAVAILABLE: said the proxy'],
  ])('converts %j with %i to %s', (body, status, expected) => {
    const error = fromEnvelope(body, { status })
    expect(`${error.code}: ${error.message}`).toBe(expected)
    expect(error).toMatchObject({ status, details: [] })
  })

  it('drops invalid details', () => {
    const body = { error: { code: 'GONE', message: 'x', details: [null, 1, {}, { code: 'A' }, ...details] } }
    expect(fromEnvelope(body, { status: 410 }).details).toEqual(details)
  })

  it('uses the status of the code if none is given', () => {
    const body = (name: string): unknown => ({ error: { code: name, message: 'x', details: [] } })
    expect(fromEnvelope(body('CONFLICT')).status).toBe(409)
    expect(fromEnvelope(body('SEAT_TAKEN'))).toMatchObject({ code: 'SEAT_TAKEN', status: 500 })
    expect(fromEnvelope({})).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', status: 500 })
  })

  it('returns an ApiError for any value', () => {
    fc.assert(
      fc.property(fc.anything(), fc.integer({ min: 400, max: 599 }), (body, status) => {
        expect(isApiError(fromEnvelope(body, { status }))).toBe(true)
        expect(isApiError(fromEnvelope({ error: body }, { status }))).toBe(true)
      }),
    )
  })
})
