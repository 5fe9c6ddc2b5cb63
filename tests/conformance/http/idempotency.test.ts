import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { type Answer, ask, post } from './wire.ts'

const subject = startSubject()
const send = (key: string, body: string, path = '/api/notes', headers = {}): Promise<Answer> =>
  ask(subject.port, post(path, body, { 'Idempotency-Key': key, ...headers }))
const bodyOf = ({ body }: Answer): unknown => JSON.parse(body)

describe('Idempotency-Key', () => {
  it('runs a request once, however often it is sent', async () => {
    const before = subject.created
    const first = await send('once', '{"title":"Tea"}')
    const again = await send('once', '{"title":"Tea"}')
    expect([again.status, again.body]).toEqual([first.status, first.body])
    expect(again.headers['content-type']).toBe('application/json')
    expect(first.headers).not.toHaveProperty('idempotent-replayed')
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    expectGuarded(again)
    expect(subject.created - before).toBe(1)
  })

  it('is the same quoted or not', async () => {
    const first = await send('quoted', '{"title":"Tea"}')
    expect(bodyOf(await send('"quoted"', '{"title":"Tea"}'))).toEqual(bodyOf(first))
  })

  it('looks at what a body means, not at how it is written', async () => {
    const first = await send('spaces', '{"title":"Tea","stars":1}')
    expect((await send('spaces', '{ "title" : "Tea", "stars": 1.0 }')).body).toBe(first.body)
  })

  it('refuses another body under the same key', async () => {
    await send('reused', '{"title":"Tea"}')
    expectFailure(await send('reused', '{"title":"Coffee"}'), 422, 'IDEMPOTENCY_KEY_REUSED')
    expectFailure(await send('reused', '{"title":""}'), 422, 'IDEMPOTENCY_KEY_REUSED')
    expectFailure(await send('reused', '{'), 400, 'INVALID_REQUEST')
  })

  it('tells a second request to wait for the first', async () => {
    const before = subject.created
    const both = await Promise.all([send('parallel', '{"title":"slow tea"}'), send('parallel', '{"title":"slow tea"}')])
    const [made, refused] = both.toSorted((a, b) => a.status - b.status)
    expect(made?.status).toBe(200)
    expectFailure(refused ?? both[0], 409, 'IDEMPOTENCY_KEY_IN_USE')
    expect(refused?.headers['retry-after']).toBe('1')
    expect(subject.created - before).toBe(1)
  })

  it.each([
    ['one that failed', '{"title":"taken"}', 409],
    ['one that was invalid', '{"title":""}', 400],
  ])('keeps no answer of %s, so that it can be tried again', async (what, body, status) => {
    const first = await send(what, body)
    const again = await send(what, body)
    expect([first.status, again.status]).toEqual([status, status])
    expect(again.headers).not.toHaveProperty('idempotent-replayed')
    expect((await send(what, '{"title":"free"}')).status).toBe(200)
  })

  it('counts for one path and one caller', async () => {
    const notes = await send('shared', '{"title":"Tea"}')
    const copies = await send('shared', '{"title":"Tea"}', '/api/copies')
    const hers = await send('shared', '{"title":"Tea"}', '/api/notes', { Authorization: 'bearer ada' })
    for (const answer of [copies, hers]) {
      expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([200, undefined])
    }
    expect(hers.body).not.toBe(notes.body)
  })

  it.each(['k', 'a key with spaces', '!~@#$%^&*()', 'x'.repeat(255), `"${'x'.repeat(255)}"`])(
    'may be %j',
    async (key) => {
      expect((await send(key, '{"title":"Tea"}')).status).toBe(200)
    },
  )

  it.each(['', '""', 'x'.repeat(256), 'ümlaut'])('may not be %j', async (key) => {
    const { details } = expectFailure(await send(key, '{"title":"Tea"}'), 400, 'INVALID_REQUEST')
    expect(details).toMatchObject([{ source: 'header' }])
  })

  it('works for agents too', async () => {
    const first = await send('agent', '{"a":1}', '/agent/echo')
    const again = await send('agent', '{"a":1}', '/agent/echo')
    expect([first.body, again.body, again.headers['idempotent-replayed']]).toEqual(['{"a":1}', '{"a":1}', 'true'])
  })
})
