import { afterEach, describe, expect, it, vi } from 'vitest'
import { resolveBaseUrl, toSocketUrl } from './base-url.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

describe('resolveBaseUrl', () => {
  it("prefers the given base over the page's origin", () => {
    vi.stubGlobal('location', new URL('https://page.dev/some/path'))
    expect(resolveBaseUrl('https://api.dev/v2')).toBe('https://api.dev/v2')
    expect(resolveBaseUrl()).toBe('https://page.dev/')
  })

  it("resolves a relative base against the page's origin", () => {
    vi.stubGlobal('location', new URL('https://page.dev/some/path'))
    expect(resolveBaseUrl('/v2')).toBe('https://page.dev/v2')
  })

  it('uses SDK_BASE_URL without a page and reads it on every call', () => {
    expect(() => resolveBaseUrl()).toThrow(/pass \{ baseUrl \} or set SDK_BASE_URL/)
    vi.stubEnv('SDK_BASE_URL', 'http://127.0.0.1:3000')
    expect(resolveBaseUrl()).toBe('http://127.0.0.1:3000/')
    expect(resolveBaseUrl('/v2')).toBe('http://127.0.0.1:3000/v2')
  })

  it('throws on a page without an origin', () => {
    vi.stubGlobal('location', { origin: 'null' })
    expect(() => resolveBaseUrl()).toThrow(TypeError)
  })

  it('uses the origin of the script in a worker', () => {
    vi.stubGlobal('location', new URL('blob:https://page.dev/1234'))
    expect(resolveBaseUrl()).toBe('https://page.dev/')
  })

  it.each(['localhost:3000', '/v2', 'http://', ''])('throws without a page if the base is %j', (baseUrl) => {
    expect(() => resolveBaseUrl(baseUrl)).toThrow(`got "${baseUrl}"`)
  })
})

describe("the warning about a base URL that is the page's origin", () => {
  /** Loads a new copy of the module, which has not logged the warning yet. */
  async function load(): Promise<{ resolve: typeof resolveBaseUrl; warnings: unknown[] }> {
    vi.resetModules()
    vi.stubGlobal('location', new URL('http://localhost:3000/tasks'))
    const warnings: unknown[] = []
    vi.spyOn(console, 'warn').mockImplementation((text) => void warnings.push(text))
    return { resolve: (await import('./base-url.ts')).resolveBaseUrl, warnings }
  }

  it('is logged once in development and names the option', async () => {
    const { resolve, warnings } = await load()
    resolve('http://localhost:3000')
    resolve('http://localhost:3000')
    expect(warnings).toEqual([expect.stringContaining('baseUrl "http://localhost:3000" is the default')])
  })

  it('is not logged for another base or without one', async () => {
    const { resolve, warnings } = await load()
    resolve()
    resolve('http://localhost:3000/v2')
    resolve('http://localhost:4000')
    expect(warnings).toEqual([])
  })
})

describe('toSocketUrl', () => {
  it('changes only the scheme', () => {
    expect(toSocketUrl('http://x.dev/ws/a?http=1')).toBe('ws://x.dev/ws/a?http=1')
    expect(toSocketUrl('https://x.dev/ws/a')).toBe('wss://x.dev/ws/a')
  })
})
