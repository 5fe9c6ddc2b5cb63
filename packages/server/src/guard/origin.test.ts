import { describe, expect, it } from 'vitest'
import type { ServerRequest } from '../http/server-request.ts'
import { createOriginRules } from './origin.ts'

const FRIEND = 'https://friend.example'

describe('isTrusted without auth', () => {
  const rules = createOriginRules([FRIEND], null)
  const isTrusted = (headers: Readonly<Record<string, string>>): boolean =>
    rules.isTrusted({ header: (name) => ({ host: 'app.example', ...headers })[name] ?? null } as ServerRequest)

  it.each(['http://app.example', 'https://app.example', FRIEND])('accepts a page of %s', (origin) => {
    expect(isTrusted({ origin })).toBe(true)
  })

  it.each([
    'http://evilapp.example',
    'http://sub.app.example',
    'http://app.example.evil.example',
    'http://app.example:8080',
    'http://example',
    'https://friend.example.evil.example',
    'https://sub.friend.example',
    'http://friend.example',
    'null',
    '',
  ])('rejects a page of %j', (origin) => {
    expect(isTrusted({ origin })).toBe(false)
  })

  it('accepts a request without an origin, unless Sec-Fetch-Site is cross-site', () => {
    expect(isTrusted({})).toBe(true)
    expect(isTrusted({ 'sec-fetch-site': 'same-origin' })).toBe(true)
    expect(isTrusted({ 'sec-fetch-site': 'cross-site' })).toBe(false)
  })
})
