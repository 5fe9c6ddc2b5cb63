import { ApiError } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { closeError, socketError, thrownError } from './socket-error.ts'

describe('closeError', () => {
  it.each([
    [4404, 'NOT_FOUND: no such socket', 'NOT_FOUND', 404],
    [4403, 'SEAT_TAKEN', 'SEAT_TAKEN', 403],
    [4404, 'no such thing: sorry', 'HTTP_404', 404],
    [4508, '', 'HTTP_508', 508],
    [4400, '', 'INVALID_REQUEST', 400],
    [4401, '', 'UNAUTHORIZED', 401],
    [4600, 'GONE', 'NETWORK_ERROR', 0],
    [1013, 'SERVICE_UNAVAILABLE', 'NETWORK_ERROR', 0],
  ])('converts %i %j to the code %s and the status %i', (close, reason, code, status) => {
    expect(closeError(close, reason)).toMatchObject({ code, status })
  })

  it('uses the message of the server, or the close code', () => {
    const error = closeError(4403, 'SENT_OUT: not you: leave')
    const [odd, silent] = [closeError(4403, 'no such thing: sorry'), closeError(1006)]
    expect([error.code, error.message]).toEqual(['SENT_OUT', 'not you: leave'])
    expect([odd.message, silent.message]).toEqual(['no such thing: sorry', 'closed 1006'])
  })
})

describe('thrownError', () => {
  it('returns an ApiError unchanged and keeps any other error as the cause', () => {
    const known = new ApiError('FORBIDDEN', 'no')
    const cause = new TypeError('Failed to fetch')
    expect(thrownError(known, 0)).toBe(known)
    expect(thrownError(cause, 0)).toMatchObject({ code: 'NETWORK_ERROR', status: 0, cause })
    expect(thrownError(undefined, 400)).toMatchObject({ code: 'INVALID_REQUEST', status: 400 })
  })
})

describe('socketError', () => {
  it('uses a valid code with its details', () => {
    const details = [{ code: 'REQUIRED', message: 'is required' }]
    const error = socketError(409, 'taken', { code: 'SEAT_TAKEN', details })
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ code: 'SEAT_TAKEN', status: 409, message: 'taken', details })
    expect(socketError(413, 'large', { code: 'not one' })).toMatchObject({ code: 'CONTENT_TOO_LARGE' })
  })
})
