import { isEnvelope } from '@sdk/protocol'
import { expect } from 'vitest'
import { expectGuarded } from '../http/expect-failure.ts'
import type { Answer } from '../http/wire.ts'

/** Expects an error of the auth routes: the envelope, the members for the library's clients, and no caching. */
export function expectEnvelope(answer: Answer): void {
  expect(answer.headers['content-type']).toBe('application/json')
  const { error, code, message, ...more } = JSON.parse(answer.body) as Record<string, unknown>
  expect(isEnvelope({ error }), answer.body).toBe(true)
  const known = error as { code: string; message: string }
  expect([typeof code, message, more]).toEqual(['string', known.message, {}])
  expectGuarded(answer)
  expect(answer.headers['cache-control']).toBe('no-store')
}
