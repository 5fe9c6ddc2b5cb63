import { describe, expect, it } from 'vitest'
import { toHex } from './hex.ts'

describe('toHex', () => {
  it('returns the offset, the bytes and the ASCII text in rows of sixteen bytes', () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{"a":"ä"}\n0123456'), 0xff])
    expect(toHex(bytes).split('\n')).toEqual([
      '000000  7b 22 61 22 3a 22 c3 a4  22 7d 0a 30 31 32 33 34  {"a":"··"}·01234',
      '000010  35 36 ff                                          56·',
    ])
  })

  it('returns an empty string without bytes', () => {
    expect(toHex(new Uint8Array())).toBe('')
  })
})
