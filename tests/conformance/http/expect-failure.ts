import { isEnvelope, type ErrorEnvelope } from '@sdk/protocol'
import { expect } from 'vitest'
import type { RawResponse } from './wire.ts'

/** The headers of every response. */
export function expectGuarded({ headers }: Pick<RawResponse, 'headers'>): void {
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._~-]{8,128}$/)
  expect(headers['date']).toMatch(/^\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT$/)
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': expect.stringMatching(/^(?:same|cross)-origin$/) as string,
  })
  expect(headers).not.toHaveProperty('server')
  expect(headers).not.toHaveProperty('x-powered-by')
  expect(headers).not.toHaveProperty('strict-transport-security')
}

/** Expects an error response: this status and code, only the envelope, and the headers of every response. */
export function expectFailure(response: RawResponse, status: number, code: string): ErrorEnvelope['error'] {
  expect([response.status, response.body]).toEqual([status, expect.stringContaining(`"${code}"`)])
  expect(response.headers['content-type']).toBe('application/json')
  const body = JSON.parse(response.body) as ErrorEnvelope
  expect(isEnvelope(body), `exactly code, message and details: ${response.body}`).toBe(true)
  expect(body.error.code).toBe(code)
  expect(body.error.message).not.toBe('')
  expectGuarded(response)
  expect(response.headers['cache-control']).toBe('no-store')
  return body.error
}
