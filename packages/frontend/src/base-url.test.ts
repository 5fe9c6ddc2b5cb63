import { afterEach, describe, expect, it, vi } from 'vitest'
import { resolveBaseUrl, toSocketUrl } from './base-url.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

describe('resolveBaseUrl', () => {
  it("takes the given base before the page's own origin", () => {
    vi.stubGlobal('location', new URL('https://page.dev/some/path'))
    expect(resolveBaseUrl('https://api.dev/v2')).toBe('https://api.dev/v2')
    expect(resolveBaseUrl()).toBe('https://page.dev')
  })

  it("puts a relative base on the page's origin", () => {
    vi.stubGlobal('location', new URL('https://page.dev/some/path'))
    expect(resolveBaseUrl('/v2')).toBe('https://page.dev/v2')
  })

  it('takes SDK_BASE_URL where there is no page, and reads it when asked', () => {
    expect(() => resolveBaseUrl()).toThrow(/pass \{ baseUrl \}, or set .* SDK_BASE_URL/)
    vi.stubEnv('SDK_BASE_URL', 'http://127.0.0.1:3000')
    expect(resolveBaseUrl()).toBe('http://127.0.0.1:3000')
  })

  it('passes over pages without an origin', () => {
    vi.stubGlobal('location', { origin: 'null' })
    expect(() => resolveBaseUrl()).toThrow(TypeError)
  })
})

describe('toSocketUrl', () => {
  it('keeps everything but the scheme', () => {
    expect(toSocketUrl('http://x.dev/ws/a?http=1')).toBe('ws://x.dev/ws/a?http=1')
    expect(toSocketUrl('https://x.dev/ws/a')).toBe('wss://x.dev/ws/a')
  })
})
