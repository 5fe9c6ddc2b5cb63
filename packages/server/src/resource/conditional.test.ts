import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createResource } from '../define/resource.ts'
import { appOf, type Send } from './app.test.fixture.ts'
import { memoryStore } from './memory-store.ts'

const schema = z.object({ title: z.string().max(99) })
const CREATED = Date.UTC(2026, 0, 31, 10, 0, 5, 400)
const toDate = (second: number): string => new Date(Date.UTC(2026, 0, 31, 10, 0, second)).toUTCString()

describe('date preconditions', () => {
  let send: Send
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: CREATED })
    send = appOf(createResource('tasks', { schema, store: memoryStore(), access: 'public' }))
    await send('POST /tasks', { body: { title: 'Tea' } })
  })
  afterEach(() => void vi.useRealTimers())

  const put = (headers: Record<string, string>) => send('PUT /tasks/1', { headers, body: { title: 'Milk' } })

  it('omit Last-Modified until the second of the change has passed', async () => {
    vi.setSystemTime(CREATED + 599)
    expect((await send('GET /tasks/1')).headers.get('last-modified')).toBeNull()
    vi.setSystemTime(CREATED + 600)
    expect((await send('GET /tasks/1')).headers.get('last-modified')).toBe(toDate(5))
  })

  it.each(['PUT', 'PATCH', 'DELETE'])('reject %s with 412 and the current ETag after a change', async (method) => {
    vi.setSystemTime(CREATED + 2_000)
    const body = method === 'DELETE' ? {} : { body: { title: 'Milk' } }
    const { etag, ...refused } = await send(`${method} /tasks/1`, {
      headers: { 'if-unmodified-since': toDate(4) },
      ...body,
    }).then(({ status, headers, body: { error } }) => ({ status, error, etag: headers.get('etag') }))
    expect(refused).toMatchObject({ status: 412, error: { code: 'PRECONDITION_FAILED' } })
    expect(etag).toBe((await send('GET /tasks/1')).headers.get('etag'))
    expect((await send(`${method} /tasks/1`, { headers: { 'if-unmodified-since': toDate(5) }, ...body })).status).toBe(
      200,
    )
  })

  it('reject a second change with the same date', async () => {
    vi.setSystemTime(CREATED + 2_000)
    const date = (await send('GET /tasks/1')).headers.get('last-modified') ?? ''
    expect((await put({ 'if-unmodified-since': date })).status).toBe(200)
    expect((await put({ 'if-unmodified-since': date })).status).toBe(412)
  })

  it('return 304 with Last-Modified for GET and HEAD of an unchanged row', async () => {
    vi.setSystemTime(CREATED + 2_000)
    for (const method of ['GET', 'HEAD']) {
      const read = (second: number) => send(`${method} /tasks/1`, { headers: { 'if-modified-since': toDate(second) } })
      const response = await read(5)
      expect([response.status, response.headers.get('last-modified'), (await read(4)).status]).toEqual([
        304,
        toDate(5),
        200,
      ])
    }
    expect((await send('GET /tasks/1', { headers: { 'if-unmodified-since': toDate(4) } })).status).toBe(412)
  })

  it('are ignored next to ETags, on lists, if malformed, and in writes with If-Modified-Since', async () => {
    vi.setSystemTime(CREATED + 2_000)
    const etag = (await send('GET /tasks/1')).headers.get('etag') ?? ''
    const get = (headers: Record<string, string>) => send('GET /tasks/1', { headers })
    expect((await get({ 'if-none-match': '"x"', 'if-modified-since': toDate(6) })).status).toBe(200)
    expect((await get({ 'if-match': etag, 'if-unmodified-since': toDate(1) })).status).toBe(200)
    expect((await get({ 'if-modified-since': 'yesterday' })).status).toBe(200)
    expect((await send('GET /tasks', { headers: { 'if-modified-since': toDate(6) } })).status).toBe(200)
    expect((await put({ 'if-modified-since': toDate(6) })).status).toBe(200)
    expect((await put({ 'if-unmodified-since': '1' })).status).toBe(200)
  })

  it('do not satisfy ifMatch: required', async () => {
    send = appOf(createResource('tasks', { schema, store: memoryStore(), access: 'public', ifMatch: 'required' }))
    await send('POST /tasks', { body: { title: 'Tea' } })
    expect((await put({ 'if-unmodified-since': toDate(6) })).status).toBe(428)
  })
})
