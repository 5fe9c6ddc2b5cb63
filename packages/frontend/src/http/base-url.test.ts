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
    expect(resolveBaseUrl()).toBe('https://page.dev/')
  })

  it("puts a relative base on the page's origin", () => {
    vi.stubGlobal('location', new URL('https://page.dev/some/path'))
    expect(resolveBaseUrl('/v2')).toBe('https://page.dev/v2')
  })

  it('takes SDK_BASE_URL where there is no page, and reads it when asked', () => {
    expect(() => resolveBaseUrl()).toThrow(/pass \{ baseUrl \} or set SDK_BASE_URL/)
    vi.stubEnv('SDK_BASE_URL', 'http://127.0.0.1:3000')
    expect(resolveBaseUrl()).toBe('http://127.0.0.1:3000/')
    expect(resolveBaseUrl('/v2')).toBe('http://127.0.0.1:3000/v2')
  })

  it('passes over pages without an origin', () => {
    vi.stubGlobal('location', { origin: 'null' })
    expect(() => resolveBaseUrl()).toThrow(TypeError)
  })

  it('takes the origin of the script in a worker', () => {
    vi.stubGlobal('location', new URL('blob:https://page.dev/1234'))
    expect(resolveBaseUrl()).toBe('https://page.dev/')
  })

  it.each(['localhost:3000', '/v2', 'http://', ''])('refuses %j, which leads nowhere', (baseUrl) => {
    expect(() => resolveBaseUrl(baseUrl)).toThrow(`got "${baseUrl}"`)
  })
})

describe("the warning of a base URL that is the page's own origin", () => {
  /** A copy of the module that has warned of nothing yet. */
  async function load(): Promise<{ resolve: typeof resolveBaseUrl; warnings: unknown[] }> {
    vi.resetModules()
    vi.stubGlobal('location', new URL('http://localhost:3000/tasks'))
    const warnings: unknown[] = []
    vi.spyOn(console, 'warn').mockImplementation((text) => void warnings.push(text))
    return { resolve: (await import('./base-url.ts')).resolveBaseUrl, warnings }
  }

  it('comes once in development and names what to delete', async () => {
    const { resolve, warnings } = await load()
    resolve('http://localhost:3000')
    resolve('http://localhost:3000')
    expect(warnings).toEqual([expect.stringContaining('baseUrl "http://localhost:3000" is the default')])
  })

  it('does not come for another base, or for none', async () => {
    const { resolve, warnings } = await load()
    resolve()
    resolve('http://localhost:3000/v2')
    resolve('http://localhost:4000')
    expect(warnings).toEqual([])
  })
})

describe('toSocketUrl', () => {
  it('keeps everything but the scheme', () => {
    expect(toSocketUrl('http://x.dev/ws/a?http=1')).toBe('ws://x.dev/ws/a?http=1')
    expect(toSocketUrl('https://x.dev/ws/a')).toBe('wss://x.dev/ws/a')
  })
})
