import { afterClose, ApiError } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { END, toRefusal } from './connection-end.ts'

describe('END', () => {
  it.each(Object.entries(END))('says what the client does after %s', (_, { code, client }) => {
    expect(client).toBe(afterClose(code))
  })
})

describe('toRefusal', () => {
  it.each([401, 403, 404, 429, 503, 500, 418])('says what the client does after a refusal with %s', (status) => {
    const { code, client, reason } = toRefusal(new ApiError('TEAPOT', 'no coffee', { status }))
    expect(client).toBe(afterClose(code))
    expect(reason).toBe('TEAPOT: no coffee')
  })
})
