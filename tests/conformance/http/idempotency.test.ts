import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { type RawResponse, type RequestParts, send, post, request } from './wire.ts'

const subject = startSubject()
const call = (key: string, body: string, path = '/api/notes', headers = {}): Promise<RawResponse> =>
  send(subject.port, post(path, body, { 'Idempotency-Key': key, ...headers }))
const bodyOf = ({ body }: RawResponse): unknown => JSON.parse(body)

describe('Idempotency-Key', () => {
  it('runs a repeated request once', async () => {
    const before = subject.created
    const first = await call('once', '{"title":"Tea"}')
    const again = await call('once', '{"title":"Tea"}')
    expect([again.status, again.body]).toEqual([first.status, first.body])
    expect(again.headers['content-type']).toBe('application/json')
    expect(first.headers).not.toHaveProperty('idempotent-replayed')
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    expectGuarded(again)
    expect(subject.created - before).toBe(1)
  })

  it('is the same with and without quotes', async () => {
    const first = await call('quoted', '{"title":"Tea"}')
    expect(bodyOf(await call('"quoted"', '{"title":"Tea"}'))).toEqual(bodyOf(first))
  })

  it('ignores the formatting of the JSON body', async () => {
    const first = await call('spaces', '{"title":"Tea","stars":1}')
    expect((await call('spaces', '{ "title" : "Tea", "stars": 1.0 }')).body).toBe(first.body)
  })

  it('rejects another body with the same key', async () => {
    await call('reused', '{"title":"Tea"}')
    expectFailure(await call('reused', '{"title":"Coffee"}'), 422, 'IDEMPOTENCY_KEY_REUSED')
    expectFailure(await call('reused', '{"title":""}'), 422, 'IDEMPOTENCY_KEY_REUSED')
    expectFailure(await call('reused', '{'), 400, 'INVALID_REQUEST')
  })

  it('rejects a second request while the first is running', async () => {
    const before = subject.created
    const both = await Promise.all([call('parallel', '{"title":"slow tea"}'), call('parallel', '{"title":"slow tea"}')])
    const [made, rejected] = both.toSorted((a, b) => a.status - b.status)
    expect(made?.status).toBe(200)
    expectFailure(rejected ?? both[0], 409, 'IDEMPOTENCY_KEY_IN_USE')
    expect(rejected?.headers['retry-after']).toBe('1')
    expect(subject.created - before).toBe(1)
  })

  it.each([
    ['a failed request', '{"title":"taken"}', 409],
    ['an invalid request', '{"title":""}', 400],
  ])('does not store the response of %s, so that it can be retried', async (key, body, status) => {
    const first = await call(key, body)
    const again = await call(key, body)
    expect([first.status, again.status]).toEqual([status, status])
    expect(again.headers).not.toHaveProperty('idempotent-replayed')
    expect((await call(key, '{"title":"free"}')).status).toBe(200)
  })

  it('is specific to a path and a caller', async () => {
    const notes = await call('shared', '{"title":"Tea"}')
    const copies = await call('shared', '{"title":"Tea"}', '/api/copies')
    const hers = await call('shared', '{"title":"Tea"}', '/api/notes', { Authorization: 'bearer ada' })
    for (const response of [copies, hers]) {
      expect([response.status, response.headers['idempotent-replayed']]).toEqual([200, undefined])
    }
    expect(hers.body).not.toBe(notes.body)
  })

  it.each(['k', 'a key with spaces', '!~@#$%^&*()', 'x'.repeat(255), `"${'x'.repeat(255)}"`])(
    'can be %j',
    async (key) => {
      expect((await call(key, '{"title":"Tea"}')).status).toBe(200)
    },
  )

  it.each(['', '""', 'x'.repeat(256), 'ümlaut'])('cannot be %j', async (key) => {
    const { details } = expectFailure(await call(key, '{"title":"Tea"}'), 400, 'INVALID_REQUEST')
    expect(details).toMatchObject([{ source: 'header' }])
  })

  it.each(['PUT', 'PATCH', 'DELETE'])('runs a repeated %s once', async (method) => {
    const change = (key: string, text?: string): Promise<RawResponse> => {
      const json = text === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: text }
      const headers = { 'Idempotency-Key': key, ...json.headers }
      return send(subject.port, request(`${method} /api/counted/7`, { ...json, headers }))
    }
    const body = method === 'DELETE' ? [] : ['{"title":"Tea"}']
    const before = subject.created
    const first = await change(method, ...body)
    const again = await change(method, ...body)
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([200, undefined])
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([200, first.body, 'true'])
    expect((await change(`another ${method}`, ...body)).headers).not.toHaveProperty('idempotent-replayed')
    expect(subject.created - before).toBe(2)
    if (method !== 'DELETE') expectFailure(await change(method, '{"title":"Coffee"}'), 422, 'IDEMPOTENCY_KEY_REUSED')
  })

  it('works without a body, and is ignored with a body that the server does not read', async () => {
    const change = (key: string, parts: RequestParts): Promise<RawResponse> =>
      send(
        subject.port,
        request('POST /api/counted/7', { ...parts, headers: { 'Idempotency-Key': key, ...parts.headers } }),
      )
    const first = await change('bare', {})
    expect((await change('bare', {})).body).toBe(first.body)
    const text = { headers: { 'Content-Type': 'text/plain' }, body: 'tea' }
    const unread = await change('unread', text)
    expect((await change('unread', text)).body).not.toBe(unread.body)
  })

  it('works for agents', async () => {
    const first = await call('agent', '{"a":1}', '/agent/echo')
    const again = await call('agent', '{"a":1}', '/agent/echo')
    expect([first.body, again.body, again.headers['idempotent-replayed']]).toEqual(['{"a":1}', '{"a":1}', 'true'])
  })
})
