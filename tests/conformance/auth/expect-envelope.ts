import { isEnvelope } from '@sdk/protocol'
import { expect } from 'vitest'
import { expectGuarded } from '../http/expect-failure.ts'
import type { RawResponse } from '../http/wire.ts'

/** Expects an error of the auth routes: the envelope, the members for the library's clients, and no caching. */
export function expectEnvelope(response: RawResponse): void {
  expect(response.headers['content-type']).toBe('application/json')
  const { error, code, message, ...more } = JSON.parse(response.body) as Record<string, unknown>
  expect(isEnvelope({ error }), response.body).toBe(true)
  const known = error as { code: string; message: string }
  expect([typeof code, message, more]).toEqual(['string', known.message, {}])
  expectGuarded(response)
  expect(response.headers['cache-control']).toBe('no-store')
}
