import { describe, expect, it } from 'vitest'
import { RecordedResponse } from './recorded-response.ts'
import { TextBudget } from './stored-text.ts'

const ENVELOPE = '{"error":{"code":"USER_ALREADY_EXISTS","message":"there is one","details":[]}}'

describe('RecordedResponse.errorLine', () => {
  const lineOf = (status: number, body: string | Uint8Array): string | null =>
    new RecordedResponse({ status, headers: {}, body }, new TextBudget({ size: 0 }), 0).errorLine()

  it('returns the code of an error sent as text or as bytes', () => {
    expect(lineOf(422, ENVELOPE)).toBe('USER_ALREADY_EXISTS: there is one')
    expect(lineOf(422, Buffer.from(ENVELOPE))).toBe('USER_ALREADY_EXISTS: there is one')
    expect(lineOf(422, 'no envelope')).toBe('HTTP 422')
    expect(lineOf(200, ENVELOPE)).toBeNull()
  })

  it('returns the code of an error in the first chunk of a stream', () => {
    const response = new RecordedResponse(
      { status: 422, headers: {}, body: { chunks: [], encode: () => '', encodeError: () => null } },
      new TextBudget({ size: 0 }),
      0,
    )
    response.stream?.add(Buffer.from(ENVELOPE), 1)
    expect(response.errorLine()).toBe('USER_ALREADY_EXISTS: there is one')
  })
})
