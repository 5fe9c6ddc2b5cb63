import { afterClose, ApiError } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { END, toRefusal } from './connection-end.ts'

describe('END', () => {
  it.each(Object.entries(END))('matches the behavior of the client after %s', (_, { code, client }) => {
    expect(client).toBe(afterClose(code))
  })
})

describe('toRefusal', () => {
  it.each([401, 403, 404, 429, 503, 500, 418])('matches the behavior of the client after a %s rejection', (status) => {
    const { code, client, reason } = toRefusal(new ApiError('TEAPOT', 'no coffee', { status }))
    expect(client).toBe(afterClose(code))
    expect(reason).toBe('TEAPOT: no coffee')
  })
})
