import { describe, expect, it } from 'vitest'
import type { Reply } from '../http/reply.ts'
import { createTimeLimit } from '../platform/time-limit.ts'
import { fromWebRequest, respondOnServer } from './fetch-adapter.ts'

function toPost(body: ConstructorParameters<typeof Request>[1]): Request {
  return new Request('http://localhost/x?q=1#fragment', { method: 'POST', headers: { 'x-a': 'b' }, ...body })
}

describe('fromWebRequest', () => {
  it('throws for a path', () => {
    expect(() => fromWebRequest('/api/tasks' as never)).toThrow(
      "fetch needs a Request, got /api/tasks: pass new Request('http://app.test/path', init)",
    )
  })

  it('reads the body without a clone, and returns a request with the same body afterwards', async () => {
    const original = toPost({ body: '\uFEFFé' })
    const request = fromWebRequest(original)
    expect(await request.text(100)).toBe('\uFEFFé')
    expect(original.bodyUsed).toBe(true)
    expect([request.request.method, request.request.url]).toEqual(['POST', original.url])
    expect(request.request.headers.get('x-a')).toBe('b')
    expect(new Uint8Array(await request.request.arrayBuffer())).toEqual(new TextEncoder().encode('\uFEFFé'))
    expect(await request.text(100)).toBe('\uFEFFé')
  })

  it('leaves the body of a request that the handler already has', async () => {
    const original = toPost({ body: 'text' })
    const request = fromWebRequest(original)
    expect(request.request).toBe(original)
    expect(await request.text(100)).toBe('text')
    expect(await original.text()).toBe('text')
  })

  it('fails to read the copy of a body that was too large', async () => {
    const request = fromWebRequest(toPost({ body: 'x'.repeat(100) }))
    await expect(request.text(10)).rejects.toMatchObject({ status: 413 })
    await expect(request.request.text()).rejects.toThrow('the body has more than 10 bytes')
  })

  it('passes the abort signal on to the copy', async () => {
    const controller = new AbortController()
    const request = fromWebRequest(toPost({ body: 'x', signal: controller.signal }))
    await request.text(10)
    controller.abort()
    expect(request.request.signal.aborted).toBe(true)
  })

  it('limits the time of the body', async () => {
    const init = { body: new ReadableStream(), duplex: 'half' } as RequestInit
    const request = fromWebRequest(toPost(init), { limitTime: createTimeLimit(1, () => new Error('late')) })
    await expect(request.text(10)).rejects.toThrow('late')
  })
})

describe('respondOnServer', () => {
  const chunks = ['a', 'b']
  const toReply = (): Reply => ({
    status: 200,
    headers: {},
    body: { chunks, encode: (chunk) => String(chunk), encodeError: () => null },
  })

  it('counts a response as pending until its stream has ended', async () => {
    const pending = new Set<Promise<unknown>>()
    const response = await respondOnServer(toPost({}), { handle: toReply }, { pending })
    await expect.poll(() => pending.size).toBe(1)
    expect(await response.text()).toBe('ab')
    await expect.poll(() => pending.size).toBe(0)
  })

  it('counts it as pending until the client has disconnected', async () => {
    const pending = new Set<Promise<unknown>>()
    const controller = new AbortController()
    await respondOnServer(toPost({ signal: controller.signal }), { handle: toReply }, { pending })
    await expect.poll(() => pending.size).toBe(1)
    controller.abort()
    await expect.poll(() => pending.size).toBe(0)
  })
})
