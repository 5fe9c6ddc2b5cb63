import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { ask, request } from './wire.ts'

describe('the questions of a load balancer', () => {
  const subject = startSubject({ rateLimit: { default: { quota: 1, window: 60 } } })

  it.each(['/healthz', '/readyz'])('%s is answered, however often it is asked', async (path) => {
    for (let n = 0; n < 3; n++) {
      const answer = await ask(subject.port, request(`GET ${path}`))
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
      expect(answer.headers).not.toHaveProperty('ratelimit')
      expectGuarded(answer)
    }
    const head = await ask(subject.port, request(`HEAD ${path}`), { toHead: true })
    expect(head.status).toBe(200)
    expectFailure(await ask(subject.port, request(`POST ${path}`)), 405, 'METHOD_NOT_ALLOWED')
  })

  it('/healthz is answered in HTTP/1.0 without Host, as HAProxy asks by `option httpchk GET /healthz`', async () => {
    const answer = await ask(subject.port, 'GET /healthz HTTP/1.0\r\n\r\n')
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, {}])
  })

  it('/metrics is off unless asked for', async () => {
    expectFailure(await ask(subject.port, request('GET /metrics')), 404, 'NOT_FOUND')
  })
})

describe('the description of the API', () => {
  const subject = startSubject()

  it('is OpenAPI 3.1.1, and knows the routes', async () => {
    const answer = await ask(subject.port, request('GET /api/v1/openapi.json'))
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
    expectGuarded(answer)
    const document = JSON.parse(answer.body) as { openapi: string; paths: Record<string, object> }
    expect(document.openapi).toBe('3.1.1')
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/api/notes', '/api/notes/{id}', '/agent/shout']),
    )
    expect(Object.keys(document.paths['/api/notes/{id}'] ?? {})).toEqual(
      expect.arrayContaining(['get', 'delete', 'patch']),
    )
  })

  it('of a version that is not there is 404', async () => {
    expectFailure(await ask(subject.port, request('GET /api/v9/openapi.json')), 404, 'NOT_FOUND')
  })
})
