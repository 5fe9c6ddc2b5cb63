import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertRedirects, isSafeTarget } from './redirect-target.ts'

const OWN = 'https://app.test'
const isOwn = (origin: string): boolean => origin === OWN

const EVIL = [
  'https://evil.test',
  'http://app.test',
  '//evil.test',
  '///evil.test',
  '/\\evil.test',
  '\\\\evil.test',
  '/%5cevil.test',
  '/%5Cevil.test',
  '/%2f/evil.test',
  '\t//evil.test',
  '\nhttps://evil.test',
  ' //evil.test',
  '/\t/evil.test',
  '/\n/evil.test',
  '/.//evil.test',
  '/a/..//evil.test',
  '/%2E//evil.test',
  'javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,hi',
  'https://app.test@evil.test',
  'https://app.test:x@evil.test/',
  'https://evil@app.test',
  'https://app.test.evil.test',
  'https:evil.test',
  'https:/evil.test',
  'https:///evil.test',
  'evil.test',
  'myapp://home',
]

describe('isSafeTarget', () => {
  it('accepts paths and URLs of trusted origins', () => {
    for (const target of ['/', '/home?to=//x#y', '/a/b.c', OWN, `${OWN}/`, `${OWN}/home?x=1`, 'HTTPS://APP.test/x'])
      expect({ target, isSafe: isSafeTarget(target, isOwn) }).toEqual({ target, isSafe: true })
  })

  it('rejects targets on other origins', () => {
    for (const target of EVIL)
      expect({ target, isSafe: isSafeTarget(target, isOwn) }).toEqual({ target, isSafe: false })
  })

  it('accepts no target that a browser resolves to another origin', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      ':',
      '@',
      '?',
      '#',
      '.',
      '%5c',
      '%2f',
      '\t',
      '\n',
      ' ',
      'https',
      'evil.test',
    )
    const ours = fc.constantFrom('', '/', OWN, 'javascript:')
    fc.assert(
      fc.property(ours, fc.array(piece, { maxLength: 6 }), (start, rest) => {
        const target = start + rest.join('')
        fc.pre(isSafeTarget(target, isOwn))
        expect(new URL(target, OWN).origin).toBe(OWN)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('assertRedirects', () => {
  it('checks every callback parameter in the query and the body', () => {
    const names = ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL', 'errorURL', 'newUserURL']
    for (const name of names) {
      const query = new URLSearchParams([
        [name, '/home'],
        [name, '//evil.test'],
      ])
      expect(() => assertRedirects(query, {}, isOwn)).toThrow(name)
      expect(() => assertRedirects(new URLSearchParams(), { [name]: '//evil.test' }, isOwn)).toThrow(name)
      expect(() => assertRedirects(new URLSearchParams(), { [name]: ['/home'] }, isOwn)).toThrow(name)
      expect(() => assertRedirects(new URLSearchParams({ [name]: '/home' }), { [name]: OWN }, isOwn)).not.toThrow()
    }
  })

  it('ignores other members', () => {
    expect(() => assertRedirects(new URLSearchParams(), { image: 'https://pictures.test/1' }, isOwn)).not.toThrow()
  })
})
