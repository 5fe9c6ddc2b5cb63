import { describe, expect, it } from 'vitest'
import { expectFailure } from './expect-failure.ts'
import { openWire, startSubject } from './subject.ts'
import { ask, request, talk } from './wire.ts'

const subject = startSubject()
const NOTE = '{"title":"Tea"}'
const head = (...lines: string[]): string => [...lines, '', ''].join('\r\n')
const JSON_POST = ['POST /agent/echo HTTP/1.1', 'Host: a', 'Content-Type: application/json']

describe('Expect: 100-continue', () => {
  it('says to go on where a caller waits for that', async () => {
    const bytes = request('POST /agent/echo', {
      body: NOTE,
      headers: { Expect: '100-continue', 'Content-Type': 'application/json' },
    })
    const answers = await talk(subject.port, bytes)
    expect(answers.map(({ status }) => status)).toEqual([100, 200])
  })

  it.each<[what: string, lines: string[], status: number]>([
    ['a body that is too large', [...JSON_POST, 'Content-Length: 99999999'], 413],
    ['a path with nothing', ['POST /api/nowhere HTTP/1.1', 'Host: a', 'Content-Length: 5'], 404],
    ['another media type', ['POST /api/notes HTTP/1.1', 'Host: a', 'Content-Type: text/x', 'Content-Length: 5'], 415],
    ['a chunked body', ['PUT /api/notes/7 HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked'], 405],
  ])('says nothing of going on before a refusal, which ends the connection: %s', async (_what, lines, status) => {
    const answers = await talk(subject.port, head(...lines, 'Expect: 100-continue'))
    expect(answers.map((answer) => answer.status)).toEqual([status])
    expect(answers[0]?.headers['connection']).toBe('close')
  })

  it('refuses to expect anything else', async () => {
    const bytes = request('POST /agent/echo', {
      body: NOTE,
      headers: { Expect: 'tea', 'Content-Type': 'application/json' },
    })
    expectFailure(await ask(subject.port, bytes), 417, 'EXPECTATION_FAILED')
  })
})

describe('an answer before the body has come', () => {
  it('is the only one, also where the body turns out malformed after it', async () => {
    const early = head('PUT /api/notes/7 HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')
    const wire = openWire(subject.port)
    wire.send(early)
    await expect.poll(() => wire.heard()).toContain('METHOD_NOT_ALLOWED')
    wire.send('nonsense\r\n')
    await expect.poll(() => wire.isClosed()).toBe(true)
    expect(wire.heard().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 405'])
  })
})
