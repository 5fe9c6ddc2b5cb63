import { createHttpClient, isApiError } from '@sdk/frontend'
import { describe, expect, it } from 'vitest'
import { expectGuarded } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { send, post, request } from './wire.ts'

const subject = startSubject({
  rateLimit: { default: { quota: 1000, window: 60 }, agent: { quota: 1, window: 60 } },
  formatError: ({ status, message }) => ({ status, headers: { 'x-format': 'own' }, body: { errors: [message] } }),
})

describe('an app with formatError', () => {
  it.each([
    ['an unknown path', request('GET /api/nowhere'), 404],
    ['an unsupported method', request('DELETE /api/notes'), 405],
    ['a body that is too large', post('/api/notes', `"${'x'.repeat(2_000_000)}"`), 413],
    ['an invalid body', post('/api/notes', '{"title":""}'), 400],
    ['invalid HTTP', Buffer.from('nonsense\r\n\r\n'), 400],
    ['a missing Host', Buffer.from('GET /api/notes HTTP/1.1\r\nConnection: close\r\n\r\n'), 400],
  ])('formats the error for %s, with the headers of every response', async (_name, bytes, status) => {
    const response = await send(subject.port, bytes)
    expect([response.status, JSON.parse(response.body)]).toEqual([status, { errors: [expect.any(String)] }])
    expect(response.headers['x-format']).toBe('own')
    expect(response.headers['cache-control']).toBe('no-store')
    expectGuarded(response)
  })

  it.each([
    ['GET /api/nowhere', 404, 'NOT_FOUND'],
    ['POST /api/notes', 400, 'INVALID_REQUEST'],
    ['DELETE /api/notes', 405, 'HTTP_405'],
  ])('returns errors whose code the client derives from the status: %s', async (route, status, code) => {
    const client = createHttpClient({ baseUrl: subject.url })
    const options: object = route.startsWith('POST') ? { title: '' } : {}
    const error = await client.call(route, options).catch((thrown: unknown) => thrown)
    expect(isApiError(error)).toBe(true)
    expect(error).toMatchObject({ status, code, details: [], requestId: expect.any(String) as unknown })
  })

  it('keeps the Retry-After header', async () => {
    await send(subject.port, post('/agent/echo', '1'))
    const response = await send(subject.port, post('/agent/echo', '1'))
    expect([response.status, Number(response.headers['retry-after']) > 0]).toEqual([429, true])
    expect(JSON.parse(response.body)).toHaveProperty('errors')
  })
})
