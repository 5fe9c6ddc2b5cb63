import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { findCookie, isAmbiguous, readCookieHeader, readSignedCookie } from './session-cookie.ts'

const SECRET = 'a secret of the tests, long enough to be one'
const NAME = 'sdk.session_token'

function sign(value: string): string {
  return encodeURIComponent(`${value}.${createHmac('sha256', SECRET).update(value).digest('base64')}`)
}

function read(header: string | null): string | null {
  return readSignedCookie(header, NAME, SECRET)
}

describe('readCookieHeader', () => {
  const [before, after] = [Date.UTC(2026, 11, 31), Date.UTC(2027, 0, 1)]
  const readHeader = (cookie: string, now: number): string | null => readCookieHeader(new Headers({ cookie }), now)

  it('renames the cookies of the release candidate until 2027', () => {
    const old = `a=b; __Secure-${NAME}=x; __Secure-sdk.dont_remember=y`
    expect(readHeader(old, before)).toBe(`a=b; __Host-${NAME}=x; __Host-sdk.dont_remember=y`)
    expect(readHeader(old, after)).toBe(old)
  })

  it('does not rename a cookie if one with the new name exists', () => {
    for (const cookie of [`__Host-${NAME}=x; __Secure-${NAME}=y`, `${NAME}=x`, '__Secure-other=x'])
      expect(readHeader(cookie, before)).toBe(cookie)
    expect(readCookieHeader(new Headers(), before)).toBeNull()
  })
})

describe('readSignedCookie', () => {
  const good = sign('token')

  it.each([
    `${NAME}=${good}`,
    `a=b; ${NAME}=${good}; c=d`,
    `a;b;${NAME}=${good}`,
    `  ${NAME} = ${good} `,
    `${NAME}="${good}"`,
    `${NAME}=${decodeURIComponent(good)}`,
    `x${NAME}=bad; ${NAME}=${good}; ${NAME}x=${sign('other')}`,
  ])('reads %j', (header) => expect(read(header)).toBe('token'))

  it.each([
    null,
    '',
    ';',
    '=',
    NAME,
    `${NAME}=`,
    `${NAME}=.`,
    `${NAME}=%`,
    `${NAME}=token`,
    `${NAME}=token.`,
    `${NAME}=${good.replace('token', 'taken')}`,
    `${NAME}=${good.slice(0, -1)}`,
    `${NAME}=token.${'é'.repeat(22)}`,
    `${NAME}=token.${'A'.repeat(43)}=`,
    `${NAME}=bad; ${NAME}=${good}`,
    `${NAME}=${good}; ${NAME}=bad`,
    `${NAME}=${good}; ${NAME}=${sign('other')}`,
    `${NAME}=${good};${NAME}=`,
    `x${NAME}=${good}`,
    `${NAME}x=${good}`,
    `__Secure-${NAME}=${good}`,
  ])('returns null for %j', (header) => expect(read(header)).toBeNull())

  it('finds a signed value among other cookies', () => {
    const rest = fc.array(fc.string().filter((text) => !text.includes(NAME)))
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), rest, rest, (value, before, after) => {
        const others = (texts: string[]): string[] => texts.map((text) => text.replaceAll(';', ''))
        const header = [...others(before), `${NAME}=${sign(value)}`, ...others(after)].join(';')
        expect(read(header)).toBe(value)
      }),
    )
  })

  it('returns null for any other value and never throws', () => {
    expect(read(`${NAME}=${'x'.repeat(8_000)}`)).toBeNull()
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => read(`${NAME}=${text}`) === null))
  })

  it('searches a header once, even if it has many semicolons', () => {
    const search = vi.spyOn(String.prototype, 'indexOf')
    for (const header of [';'.repeat(16_000), `${';'.repeat(16_000)}=`]) expect(read(header)).toBeNull()
    const count = search.mock.calls.filter(([sought]) => sought === '=').length
    search.mockRestore()
    expect(count).toBeLessThanOrEqual(4)
  })

  it('finds the same cookies as splitting the header', () => {
    const part = fc.constantFrom('a', '=', ';', ' ', 'sdk.session_token', 'x.y')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const header = parts.join('')
        const cookies = header.split(';').filter((cookie) => cookie.split('=', 1)[0]?.trim() === NAME)
        const values = cookies.filter((cookie) => cookie.includes('='))
        expect(isAmbiguous(header, NAME)).toBe(values.length > 1)
        const only = values.length === 1 ? (values[0] ?? '').slice((values[0] ?? '').indexOf('=') + 1).trim() : null
        expect(findCookie(header, NAME)).toBe(only)
      }),
    )
  })
})
