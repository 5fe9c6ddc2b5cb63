import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { send, request } from './wire.ts'

describe('health checks', () => {
  const subject = startSubject({ rateLimit: { default: { quota: 1, window: 60 } } })

  it.each(['/healthz', '/readyz'])('%s is not rate limited', async (path) => {
    for (let n = 0; n < 3; n++) {
      const response = await send(subject.port, request(`GET ${path}`))
      expect([response.status, response.headers['content-type']]).toEqual([200, 'application/json'])
      expect(response.headers).not.toHaveProperty('ratelimit')
      expectGuarded(response)
    }
    const head = await send(subject.port, request(`HEAD ${path}`), { toHead: true })
    expect(head.status).toBe(200)
    expectFailure(await send(subject.port, request(`POST ${path}`)), 405, 'METHOD_NOT_ALLOWED')
  })

  it('/healthz accepts HTTP/1.0 without Host, as sent by HAProxy with `option httpchk GET /healthz`', async () => {
    const response = await send(subject.port, 'GET /healthz HTTP/1.0\r\n\r\n')
    expect([response.status, JSON.parse(response.body)]).toMatchObject([200, {}])
  })

  it('/metrics is disabled by default', async () => {
    expectFailure(await send(subject.port, request('GET /metrics')), 404, 'NOT_FOUND')
  })
})

describe('the OpenAPI document', () => {
  const subject = startSubject()

  it('has version 3.1.1 and contains the routes', async () => {
    const response = await send(subject.port, request('GET /api/v1/openapi.json'))
    expect([response.status, response.headers['content-type']]).toEqual([200, 'application/json'])
    expectGuarded(response)
    const document = JSON.parse(response.body) as { openapi: string; paths: Record<string, object> }
    expect(document.openapi).toBe('3.1.1')
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/api/notes', '/api/notes/{id}', '/agent/shout']),
    )
    expect(Object.keys(document.paths['/api/notes/{id}'] ?? {})).toEqual(
      expect.arrayContaining(['get', 'delete', 'patch']),
    )
  })

  it('is 404 for an unknown API version', async () => {
    expectFailure(await send(subject.port, request('GET /api/v9/openapi.json')), 404, 'NOT_FOUND')
  })
})
