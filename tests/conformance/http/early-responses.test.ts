import { describe, expect, it } from 'vitest'
import { expectFailure } from './expect-failure.ts'
import { openConnection, startSubject } from './subject.ts'
import { send, request, sendAll } from './wire.ts'

const subject = startSubject()
const NOTE = '{"title":"Tea"}'
const head = (...lines: string[]): string => [...lines, '', ''].join('\r\n')
const JSON_POST = ['POST /agent/echo HTTP/1.1', 'Host: a', 'Content-Type: application/json']

describe('Expect: 100-continue', () => {
  it('sends 100 Continue before the response', async () => {
    const bytes = request('POST /agent/echo', {
      body: NOTE,
      headers: { Expect: '100-continue', 'Content-Type': 'application/json' },
    })
    const responses = await sendAll(subject.port, bytes)
    expect(responses.map(({ status }) => status)).toEqual([100, 200])
  })

  it.each<[name: string, lines: string[], status: number]>([
    ['a body that is too large', [...JSON_POST, 'Content-Length: 99999999'], 413],
    ['an unknown path', ['POST /api/nowhere HTTP/1.1', 'Host: a', 'Content-Length: 5'], 404],
    ['a wrong media type', ['POST /api/notes HTTP/1.1', 'Host: a', 'Content-Type: text/x', 'Content-Length: 5'], 415],
    ['a method that is not allowed', ['PUT /api/notes/7 HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked'], 405],
  ])('sends only the error and closes the connection for %s', async (_name, lines, status) => {
    const responses = await sendAll(subject.port, head(...lines, 'Expect: 100-continue'))
    expect(responses.map((response) => response.status)).toEqual([status])
    expect(responses[0]?.headers['connection']).toBe('close')
  })

  it('rejects any other expectation', async () => {
    const bytes = request('POST /agent/echo', {
      body: NOTE,
      headers: { Expect: 'tea', 'Content-Type': 'application/json' },
    })
    expectFailure(await send(subject.port, bytes), 417, 'EXPECTATION_FAILED')
  })
})

describe('a response before the end of the body', () => {
  it('is the only response, even if the rest of the body is malformed', async () => {
    const early = head('PUT /api/notes/7 HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')
    const connection = openConnection(subject.port)
    connection.send(early)
    await expect.poll(() => connection.received()).toContain('METHOD_NOT_ALLOWED')
    connection.send('nonsense\r\n')
    await expect.poll(() => connection.isClosed()).toBe(true)
    expect(connection.received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 405'])
  })
})
