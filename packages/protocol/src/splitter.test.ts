import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutBytes, cutText, drain } from './cuts.test.fixture.ts'
import { ApiError, createSplitter } from './index.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Returns the expected pieces: the whole text, split, without an empty piece at the end. */
function oracle(text: string, delimiter: string): string[] {
  const pieces = new TextDecoder().decode(encode(text)).split(delimiter)
  return pieces.at(-1) === '' ? pieces.slice(0, -1) : pieces
}

describe('createSplitter', () => {
  it.each(['\n', 'a', '🎉', '\r\n', 'aa', 'é–', 'aabaa', '-----', '<🎉🎉>', '\uFFFD'])(
    'yields the same pieces wherever the bytes are cut, with the delimiter %j',
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
            expect(drain(createSplitter(delimiter), parts)).toEqual({ pieces: oracle(text, delimiter), error: null })
          },
        ),
      )
    },
  )

  it('removes a byte order mark only at the beginning, wherever the bytes are cut', () => {
    const text = '\uFEFF\uFEFFone\n\uFEFFtwo🎉\uFEFF\n\uFEFF'
    const bytes = encode(text)
    for (let at = 0; at <= bytes.length; at++) {
      const parts = [bytes.subarray(0, at), bytes.subarray(at)]
      const { pieces } = drain(createSplitter('\n'), parts)
      expect(pieces, `cut at ${at}`).toEqual(['\uFEFFone', '\uFEFFtwo🎉\uFEFF', '\uFEFF'])
    }
  })

  it('yields a piece only after its delimiter has arrived', () => {
    const splitter = createSplitter('--')
    expect([...splitter.push(encode('one-'))]).toEqual([])
    expect([...splitter.push(encode('-two--three'))]).toEqual(['one', 'two'])
    expect([...splitter.end()]).toEqual(['three'])
  })

  it('keeps empty pieces between delimiters and drops the one after the last', () => {
    expect(drain(createSplitter(','), [encode('a,,b,')]).pieces).toEqual(['a', '', 'b'])
    expect(drain(createSplitter(','), []).pieces).toEqual([])
  })

  it('splits at the first match of a self-overlapping delimiter, as String.split does', () => {
    expect(drain(createSplitter('aa'), [encode('a'), encode('aa'), encode('ab')]).pieces).toEqual(['', '', 'b'])
  })

  it('replaces invalid UTF-8 and continues', () => {
    const bytes = Uint8Array.of(0x61, 0xff, 0x0a, 0x62, 0xf0, 0x9f)
    fc.assert(
      fc.property(fc.nat(bytes.length), (at) => {
        const parts = [bytes.subarray(0, at), bytes.subarray(at)]
        expect(drain(createSplitter('\n'), parts).pieces).toEqual(['a\uFFFD', 'b\uFFFD'])
      }),
    )
  })

  it('rejects a piece that is too long, after the same pieces wherever the bytes are cut', () => {
    const text = 'ab,abcd,abcde,f'
    fc.assert(
      fc.property(cutBytes(text), (parts) => {
        const { pieces, error } = drain(createSplitter(',', { maxLength: 4 }), parts)
        expect(pieces).toEqual(['ab', 'abcd'])
        expect(error).toBeInstanceOf(ApiError)
        expect(error).toMatchObject({ code: 'INVALID_RESPONSE' })
      }),
    )
  })

  it('throws if text without a delimiter exceeds the limit', () => {
    const splitter = createSplitter('\n', { maxLength: 10_000 })
    const flood = (): void => {
      for (let count = 0; count < 100; count++) Array.from(splitter.push(encode('x'.repeat(1000))))
    }
    expect(flood).toThrow('longer than 10000 characters')
  })

  it('throws if the delimiter is empty', () => {
    expect(() => createSplitter('')).toThrow(TypeError)
  })

  it('searches only new text: 8 MB without a delimiter take less than a second of CPU', () => {
    const chunk = encode('x'.repeat(4096))
    const splitter = createSplitter('\n')
    const before = process.cpuUsage()
    for (let count = 0; count < 2048; count++) Array.from(splitter.push(chunk))
    expect(Array.from(splitter.end(), (piece) => piece.length)).toEqual([2 ** 23])
    const { user, system } = process.cpuUsage(before)
    // Tens of milliseconds. Searching the whole text again takes many seconds (see benchmarks/stream.ts).
    expect((user + system) / 1e6).toBeLessThan(1)
  })
})
