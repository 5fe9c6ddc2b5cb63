import { useAPI } from '@sdk/react'
import { expect, it } from 'vitest'
import { act, goTo, Public, renderHook, waitFor } from './page.ts'
import type { Section } from './section.ts'

/** Section 7.1. */
export const section7_1: Section = {
  number: '7.1',
  title: 'error envelope',
  tests(apps) {
    it.each([
      ['an unknown route', 'GET /api/nowhere'],
      ['an unknown agent', 'POST /agent/nobody'],
      ['an unsupported method', 'PUT /api/tenant'],
      ['an invalid id', 'GET /api/v1/tasks/zero'],
      ['an agent that throws', 'POST /agent/refuse'],
      ['a route that throws', 'GET /api/broken'],
      ['invalid bytes in the URL', 'GET /api/%zz'],
    ])('7.1 %s returns the error object of 2.2', async (_name, line) => {
      const { status, body } = await apps.open.call(line)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(body).toEqual({
        error: { code: expect.any(String), message: expect.any(String), details: expect.any(Array) },
      })
    })
  },
}

/** Section 7.2. */
export const section7_2: Section = {
  number: '7.2',
  title: 'status codes',
  tests(apps) {
    it.each([
      [200, 'GET /api/v1/tasks', undefined],
      [201, 'POST /api/v1/tasks', { title: 'Tea' }],
      [400, 'POST /api/v1/tasks', { title: 7 }],
      [404, 'GET /api/v1/tasks/99999', undefined],
      [500, 'GET /api/broken', undefined],
    ])('7.2 returns %i for %s', async (status, line, body) => {
      expect((await apps.open.call(line, body)).status).toBe(status)
    })

    it('7.2 returns 401 for GET /api/me without a session', async () => {
      expect((await apps.guarded.call('GET /api/me')).status).toBe(401)
    })
  },
}

/** Section 7.3. */
export const section7_3: Section = {
  number: '7.3',
  title: 'error codes',
  tests(apps) {
    it.each(['0', '-1', 'abc', '1.5', '01'])('7.3 INVALID_REQUEST: the id %s is not a positive integer', async (id) => {
      const { status, body } = await apps.open.call(`GET /api/v1/tasks/${id}`)
      expect([status, body]).toEqual([
        400,
        { error: { code: 'INVALID_REQUEST', message: 'id must be a positive integer', details: expect.any(Array) } },
      ])
    })

    it('7.3 INVALID_REQUEST: the message names the invalid parameter', async () => {
      const { body } = await apps.open.call('GET /api/v1/tasks?limit=1000')
      expect(body).toMatchObject({ error: { code: 'INVALID_REQUEST', message: expect.stringContaining('limit') } })
    })

    it.each([
      ['UNAUTHORIZED', 401, 'GET /api/me'],
      ['NOT_FOUND', 404, 'GET /api/auth/../nowhere'],
      ['METHOD_NOT_ALLOWED', 405, 'PUT /agent/whoami'],
    ])('7.3 %s is the code of %i', async (code, status, line) => {
      const response = await apps.guarded.call(line)
      expect([response.status, response.body]).toMatchObject([status, { error: { code } }])
    })

    it('7.3 INTERNAL_SERVER_ERROR is the code of 500 and does not expose the error', async () => {
      const { body } = await apps.open.call('GET /api/broken')
      expect(body).toMatchObject({ error: { code: 'INTERNAL_SERVER_ERROR', details: [] } })
      expect(JSON.stringify(body)).not.toContain('password')
    })

    it('7.3 a detail has a code, a message and the location of the issue', async () => {
      const { body } = await apps.open.call('POST /api/v1/tasks', { title: '' })
      expect(body).toMatchObject({
        error: { details: [{ code: 'TOO_SHORT', message: expect.any(String), source: 'body', pointer: '/title' }] },
      })
      const wrongId = await apps.open.call('GET /api/v1/tasks/abc')
      expect(wrongId.body).toMatchObject({
        error: { details: [{ code: 'INVALID_FORMAT', source: 'path', name: 'id' }] },
      })
    })
  },
}

/** Section 7.4. */
export const section7_4: Section = {
  number: '7.4',
  title: 'errors on the client',
  tests(apps) {
    it('7.4 isError is true after a failed call, and error.message is its message', async () => {
      goTo(apps.open.url)
      const { result } = renderHook(
        () => [useAPI('GET /api/v1/tasks/:id', { params: { id: 'abc' } }), useAPI('POST /agent/refuse')] as const,
        { wrapper: Public },
      )
      await waitFor(() => expect(result.current[0].isError).toBe(true))
      expect(result.current[0].error?.message).toBe('id must be a positive integer')
      await act(() => result.current[1].invoke({}).catch(() => {}))
      expect(result.current[1]).toMatchObject({ isError: true, error: { message: 'that was said already' } })
    })

    it('7.4 isError is true if no server responds', async () => {
      goTo('http://127.0.0.1:1')
      const { result } = renderHook(() => useAPI('POST /agent/echo'), { wrapper: Public })
      await act(() => result.current.invoke({}).catch(() => {}))
      expect(result.current).toMatchObject({ isError: true, error: { code: 'NETWORK_ERROR' } })
      expect(result.current.error?.message).not.toBe('')
    })

    it('7.4 isError is false for a successful response with an error member', async () => {
      goTo(apps.guarded.url)
      const { result } = renderHook(() => useAPI('POST /agent/whoami'), { wrapper: Public })
      await act(() => result.current.invoke({}))
      expect(result.current).toMatchObject({ isError: false, isSuccess: true, data: { error: 'sign in first' } })
    })
  },
}
