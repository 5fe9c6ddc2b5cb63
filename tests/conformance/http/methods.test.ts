import { describe, expect, it } from 'vitest'
import { expectFailure, expectGuarded } from './expect-failure.ts'
import { startSubject } from './subject.ts'
import { ask, request, talk } from './wire.ts'

const subject = startSubject()
const listOf = (allow: string | undefined): string[] => (allow ?? '').split(', ')

describe('a method', () => {
  it.each([
    ['DELETE /api/notes', ['POST']],
    ['GET /api/notes', ['POST']],
    ['HEAD /api/notes', ['POST']],
    ['POST /api/notes/7', ['GET', 'HEAD', 'DELETE', 'PATCH']],
    ['TRACE /api/notes/7', ['GET', 'HEAD', 'DELETE', 'PATCH']],
    ['PROPFIND /api/notes/7', ['GET', 'HEAD', 'DELETE', 'PATCH']],
    ['PUT /agent/echo', ['POST']],
    ['DELETE /agent/count', ['POST']],
  ])('that a path does not take is 405, and Allow says which it takes: %s', async (line, methods) => {
    const toHead = line.startsWith('HEAD ')
    const answer = await ask(subject.port, request(line), { toHead })
    expect(answer.status).toBe(405)
    expect(listOf(answer.headers['allow'])).toEqual(expect.arrayContaining(methods))
    expect(listOf(answer.headers['allow'])).not.toContain(line.split(' ')[0])
    if (toHead) expectGuarded(answer)
    else expectFailure(answer, 405, 'METHOD_NOT_ALLOWED')
  })

  it.each(['get', 'Get', 'BREW', 'G\u00CBT', 'GETGETGETGETGETGETGETGETGETGET'])(
    'that is none is refused: %s',
    async (method) => {
      const answer = await ask(subject.port, request(`${method} /api/notes/7`))
      const code = { 400: 'INVALID_REQUEST', 405: 'METHOD_NOT_ALLOWED', 501: 'NOT_IMPLEMENTED' }[answer.status]
      expectFailure(answer, answer.status, code ?? 'a refusal')
    },
  )

  it('CONNECT gets an answer, not silence', async () => {
    const answer = await ask(subject.port, request('CONNECT example.com:443'))
    const code = { 400: 'INVALID_REQUEST', 404: 'NOT_FOUND', 405: 'METHOD_NOT_ALLOWED', 501: 'NOT_IMPLEMENTED' }[
      answer.status
    ]
    expectFailure(answer, answer.status, code ?? 'a refusal')
  })
})

describe('HEAD', () => {
  it.each(['/api/notes/7?a=1', '/api/search?q=tea', '/api/nothing', '/api/broken', '/api/notes/%zz', '/nowhere'])(
    'is GET without content, header by header: %s',
    async (target) => {
      const given = { headers: { 'X-Request-Id': 'one-and-the-same' } }
      const [got, head] = [
        await ask(subject.port, request(`GET ${target}`, given)),
        await ask(subject.port, request(`HEAD ${target}`, given), { toHead: true }),
      ]
      const { date: _one, ...headers } = got.headers
      const { date: _two, ...again } = head.headers
      expect([head.status, again]).toEqual([got.status, headers])
    },
  )
})

describe('OPTIONS', () => {
  it.each([
    ['/api/notes', ['POST', 'OPTIONS']],
    ['/api/notes/7', ['GET', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS']],
    ['/agent/echo', ['POST', 'OPTIONS']],
  ])('tells what a path takes: %s', async (path, methods) => {
    const answer = await ask(subject.port, request(`OPTIONS ${path}`))
    expect([answer.status, answer.body]).toEqual([204, ''])
    expect(listOf(answer.headers['allow'])).toEqual(expect.arrayContaining(methods))
    expect(answer.headers).not.toHaveProperty('content-length')
    expectGuarded(answer)
  })

  it('of nothing is 404', async () => {
    expectFailure(await ask(subject.port, request('OPTIONS /nowhere')), 404, 'NOT_FOUND')
  })
})

describe('content that nobody asked for', () => {
  it.each([
    ['GET /api/notes/7', 200],
    ['DELETE /api/notes/7', 200],
    ['OPTIONS /api/notes/7', 204],
  ])('is ignored with %s, and the connection goes on', async (line, status) => {
    const first = request(line, { body: '{"broken', headers: { 'Content-Type': 'text/plain' }, keepAlive: true })
    const answers = await talk(subject.port, Buffer.concat([first, request('GET /api/notes/8')]))
    expect(answers.map((answer) => answer.status)).toEqual([status, 200])
    expect(JSON.parse(answers[1]?.body ?? '')).toMatchObject({ id: '8' })
  })

  it('is ignored with HEAD, and the connection goes on', async () => {
    const first = request('HEAD /api/notes/7', { body: 'x'.repeat(100_000), keepAlive: true })
    const answers = await talk(subject.port, Buffer.concat([first, request('HEAD /api/notes/8')]), { toHead: true })
    expect(answers.map((answer) => answer.status)).toEqual([200, 200])
  })

  it('may even be longer than any body', async () => {
    const answer = await ask(subject.port, request('GET /api/notes/7', { body: 'x'.repeat(1_100_000) }))
    expect(answer.status).toBe(200)
  })
})

describe('a handler that gives nothing', () => {
  it('answers 200 with null', async () => {
    const answer = await ask(subject.port, request('GET /api/nothing'))
    expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([200, 'application/json', 'null'])
  })
})
