import { codePoint } from '@sdk/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseStoredReply, joinChunks, serializeReply } from './stored-reply.ts'

describe('serializeReply and parseStoredReply', () => {
  it('return the same bytes for any body', () => {
    const piece = fc.oneof(fc.string({ unit: codePoint }), fc.uint8Array())
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const body = joinChunks(pieces)
        const again = parseStoredReply(serializeReply({ status: 200, headers: {}, body }))
        expect(toBytes(again.body)).toEqual(toBytes(body))
        expect(toBytes(body)).toEqual(pieces.flatMap((one) => toBytes(one)))
      }),
    )
  })

  it('store UTF-8 bytes as text, including a byte order mark', () => {
    const bytes = new TextEncoder().encode('\uFEFFü🙂\n')
    expect(parseStoredReply(serializeReply({ status: 200, headers: {}, body: bytes })).body).toBe('\uFEFFü🙂\n')
    expect(parseStoredReply(serializeReply({ status: 200, headers: {}, body: Uint8Array.of(0xff, 0) })).body).toEqual(
      Uint8Array.of(0xff, 0),
    )
  })

  it('distinguish a missing body from an empty one', () => {
    expect(parseStoredReply(serializeReply({ status: 204, headers: {}, body: null }))).toEqual({
      status: 204,
      headers: {},
      body: null,
    })
    expect(parseStoredReply(serializeReply({ status: 200, headers: {}, body: '' })).body).toBe('')
  })

  it("keep the handler's headers, but no cookies and no per-request headers", () => {
    const own = { 'content-type': 'application/json', location: '/api/v1/tasks/7', etag: '"1"', link: '<a>, <b>' }
    const others = { 'set-cookie': ['a=1', 'b=2'], 'x-request-id': 'r', ratelimit: '"default";r=1;t=1', date: 'now' }
    const { headers } = parseStoredReply(serializeReply({ status: 201, headers: { ...own, ...others }, body: '{}' }))
    expect(headers).toEqual(own)
  })
})

function toBytes(body: string | Uint8Array | null): number[] {
  return [...(typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? []))]
}
