import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutBytes, cutText, drain } from './cuts.test.fixture.ts'
import { ApiError, createSplitter } from './index.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** What the pieces must be: the whole text, split at once; nothing after a last delimiter is no piece. */
function oracle(text: string, delimiter: string): string[] {
  const pieces = new TextDecoder().decode(encode(text)).split(delimiter)
  return pieces.at(-1) === '' ? pieces.slice(0, -1) : pieces
}

describe('createSplitter', () => {
  it.each(['\n', 'a', '🎉', '\r\n', 'aa', 'é–', 'aabaa', '-----', '<🎉🎉>', '\uFFFD'])(
    'gives the same pieces however the bytes are cut, with the delimiter %j',
    (delimiter) => {
      const beginnings = Array.from(delimiter, (_, index) =>
        Array.from(delimiter)
          .slice(0, index + 1)
          .join(''),
      )
      fc.assert(
        fc.property(
          cutText(...beginnings, delimiter + delimiter, 'a', 'b', 'é', '漢', '🎉', '\uFEFF'),
          ({ text, parts }) => {
            expect(drain(createSplitter(delimiter), parts)).toEqual({ pieces: oracle(text, delimiter), fault: null })
          },
        ),
      )
    },
  )

  it('removes a byte order mark at the beginning, and keeps each later one, however the bytes are cut', () => {
    const text = '\uFEFF\uFEFFone\n\uFEFFtwo🎉\uFEFF\n\uFEFF'
    const bytes = encode(text)
    for (let at = 0; at <= bytes.length; at++) {
      const parts = [bytes.subarray(0, at), bytes.subarray(at)]
      const { pieces } = drain(createSplitter('\n'), parts)
      expect(pieces, `cut at ${at}`).toEqual(['\uFEFFone', '\uFEFFtwo🎉\uFEFF', '\uFEFF'])
    }
  })

  it('gives a piece as soon as its delimiter is there, and not before', () => {
    const splitter = createSplitter('--')
    expect([...splitter.push(encode('one-'))]).toEqual([])
    expect([...splitter.push(encode('-two--three'))]).toEqual(['one', 'two'])
    expect([...splitter.end()]).toEqual(['three'])
  })

  it('keeps empty pieces between delimiters and drops the one after the last', () => {
    expect(drain(createSplitter(','), [encode('a,,b,')]).pieces).toEqual(['a', '', 'b'])
    expect(drain(createSplitter(','), []).pieces).toEqual([])
  })

  it('takes a self-overlapping delimiter where it first fits, as String.split does', () => {
    expect(drain(createSplitter('aa'), [encode('a'), encode('aa'), encode('ab')]).pieces).toEqual(['', '', 'b'])
  })

  it('replaces bytes that are no UTF-8 and goes on', () => {
    const bytes = Uint8Array.of(0x61, 0xff, 0x0a, 0x62, 0xf0, 0x9f)
    fc.assert(
      fc.property(fc.nat(bytes.length), (at) => {
        const parts = [bytes.subarray(0, at), bytes.subarray(at)]
        expect(drain(createSplitter('\n'), parts).pieces).toEqual(['a\uFFFD', 'b\uFFFD'])
      }),
    )
  })

  it('refuses a piece that is too long, after the same pieces however the bytes are cut', () => {
    const text = 'ab,abcd,abcde,f'
    fc.assert(
      fc.property(cutBytes(text), (parts) => {
        const { pieces, fault } = drain(createSplitter(',', { maxLength: 4 }), parts)
        expect(pieces).toEqual(['ab', 'abcd'])
        expect(fault).toBeInstanceOf(ApiError)
        expect(fault).toMatchObject({ code: 'INVALID_RESPONSE' })
      }),
    )
  })

  it('refuses endless text without any delimiter before it fills the memory', () => {
    const splitter = createSplitter('\n', { maxLength: 10_000 })
    const flood = (): void => {
      for (let count = 0; count < 100; count++) Array.from(splitter.push(encode('x'.repeat(1000))))
    }
    expect(flood).toThrow('longer than 10000 characters')
  })

  it('takes no empty delimiter', () => {
    expect(() => createSplitter('')).toThrow(TypeError)
  })

  it('searches only what is new: 8 MB without a delimiter take no second of CPU', () => {
    const chunk = encode('x'.repeat(4096))
    const splitter = createSplitter('\n')
    const before = process.cpuUsage()
    for (let count = 0; count < 2048; count++) Array.from(splitter.push(chunk))
    expect(Array.from(splitter.end(), (piece) => piece.length)).toEqual([2 ** 23])
    const { user, system } = process.cpuUsage(before)
    // Tens of milliseconds; a string that grows and is searched anew takes many seconds. benchmarks/stream.ts has the figures.
    expect((user + system) / 1e6).toBeLessThan(1)
  })
})
