import { useAPI } from '@sdk/react'
import { createSessionMiddleware } from '@sdk/auth'
import { createApp, createLog, createRouter } from '@sdk/server'
import { expect, it } from 'vitest'
import { ADA } from '../auth/people.ts'
import { cookieOf } from './guarded-app.ts'
import { act, goTo, Public, renderHook, waitFor } from './page.ts'
import type { JsonResponse } from './service.ts'
import type { Section } from './section.ts'

interface Task {
  readonly id: number
  readonly title: string
  readonly isDone: boolean
}

const taskOf = ({ body }: JsonResponse): Task => body as Task

/** Section 4.1. */
export const section4_1: Section = {
  number: '4.1',
  title: 'resource endpoints',
  tests(apps) {
    const make = async (): Promise<Task> =>
      taskOf(await apps.open.call('POST /api/v1/tasks', { title: 'Tea', isDone: true }))

    it('4.1 GET returns a list for the collection', async () => {
      const task = await make()
      const { status, body } = await apps.open.call('GET /api/v1/tasks?limit=100')
      expect([status, body]).toEqual([200, expect.objectContaining({ data: expect.arrayContaining([task]) })])
    })

    it('4.1 GET returns an item by id', async () => {
      const task = await make()
      const { status, body } = await apps.open.call(`GET /api/v1/tasks/${task.id}`)
      expect([status, body]).toEqual([200, task])
    })

    it('4.1 POST returns 201 with the created item', async () => {
      const { status, body } = await apps.open.call('POST /api/v1/tasks', { title: 'Tea' })
      expect([status, body]).toEqual([
        201,
        expect.objectContaining({ id: expect.any(Number), title: 'Tea', isDone: false }),
      ])
    })

    it('4.1 PUT replaces the whole item and returns it', async () => {
      const { id } = await make()
      const { status, body } = await apps.open.call(`PUT /api/v1/tasks/${id}`, { title: 'Coffee' })
      expect([status, body]).toEqual([200, expect.objectContaining({ id, title: 'Coffee', isDone: false })])
      expect((await apps.open.call(`PUT /api/v1/tasks/${id}`, { isDone: true })).status).toBe(400)
    })

    it('4.1 PATCH updates the given fields and returns the item', async () => {
      const { id } = await make()
      const { status, body } = await apps.open.call(`PATCH /api/v1/tasks/${id}`, { title: 'Coffee' })
      expect([status, body]).toEqual([200, expect.objectContaining({ id, title: 'Coffee', isDone: true })])
    })

    it('4.1 DELETE deletes the item', async () => {
      const { id } = await make()
      expect((await apps.open.call(`DELETE /api/v1/tasks/${id}`)).status).toBe(200)
      expect((await apps.open.call(`GET /api/v1/tasks/${id}`)).status).toBe(404)
    })

    it('4.1 limit and cursor page through a list and return each item once', async () => {
      for (let n = 0; n < 3; n++) await make()
      const ids: number[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body } = await apps.open.call(`GET /api/v1/tasks?limit=2${cursor && `&cursor=${cursor}`}`)
        const page = body as { data: Task[]; pagination: { nextCursor: string | null } }
        expect(page.data.length).toBeLessThanOrEqual(2)
        ids.push(...page.data.map(({ id }) => id))
        cursor = page.pagination.nextCursor
      }
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.length).toBeGreaterThanOrEqual(3)
    })
  },
}

/** Section 4.2. */
export const section4_2: Section = {
  number: '4.2',
  title: 'agents and API routes',
  tests(apps) {
    it('4.2 invoke sends and receives JSON at POST /agent/{name}', async () => {
      goTo(apps.open.url)
      const { result } = renderHook(() => useAPI('POST /agent/echo'), { wrapper: Public })
      expect(await act(() => result.current.invoke({ a: 1 }))).toMatchObject({ input: { a: 1 } })
      const { headers } = await apps.open.call('POST /agent/echo', { a: 1 })
      expect(headers['content-type']).toBe('application/json')
    })

    it('4.2 an agent returns 405 for another method', async () => {
      expect((await apps.open.call('GET /agent/echo')).status).toBe(405)
    })

    it('4.2 an agent can stream one chunk per line', async () => {
      const { headers, body } = await apps.open.call('POST /agent/count', 2)
      expect([headers['content-type'], body]).toEqual(['application/x-ndjson', '{"n":1}\n{"n":2}\n'])
    })

    it('4.2 GET /api/{route} is fetched when the component mounts and on refetch', async () => {
      goTo(apps.open.url)
      const before = apps.open.requests.length
      const { result } = renderHook(() => useAPI('GET /api/visits'), { wrapper: Public })
      await waitFor(() => expect(result.current.data).toEqual({ visits: expect.any(Number) }))
      expect(apps.open.requests.slice(before)).toEqual(['GET /api/visits'])
      const { visits } = result.current.data as { visits: number }
      act(() => void result.current.refetch())
      await waitFor(() => expect(result.current.data).toEqual({ visits: visits + 1 }))
    })

    it('4.2 the session middleware protects all methods of all routes under /api', async () => {
      const router = createRouter()
        .use('/api/*', createSessionMiddleware(apps.guarded.auth))
        .on('GET|POST|PUT|PATCH|DELETE /api/deep/down', () => 'reached')
      const app = createApp({ router, log: createLog({ write: () => {} }) })
      const cookie = await apps.guarded.signIn()
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const send = (headers: Record<string, string>): Promise<Response> =>
          app.fetch(new Request(`${apps.guarded.url}/api/deep/down`, { method, headers }))
        expect((await send({})).status).toBe(401)
        expect((await send({ cookie, origin: apps.guarded.url })).status).toBe(200)
      }
      await app.close()
      expect((await apps.guarded.call('GET /api/v1/openapi.json')).status).toBe(401)
    })
  },
}

/** Section 4.4. */
export const section4_4: Section = {
  number: '4.4',
  title: 'auth routes',
  tests(apps) {
    it('4.4 the auth routes support sign-up, sign-in, get-session and sign-out', async () => {
      const grace = { ...ADA, name: 'Grace', email: 'grace@example.com' }
      expect((await apps.guarded.call('POST /api/auth/sign-up/email', grace)).status).toBe(200)
      const cookie = cookieOf(await apps.guarded.call('POST /api/auth/sign-in/email', grace))
      const session = await apps.guarded.call('GET /api/auth/get-session', undefined, { cookie })
      expect(session.body).toMatchObject({ user: { name: 'Grace' } })
      const headers = { cookie, origin: apps.guarded.url }
      expect((await apps.guarded.call('POST /api/auth/sign-out', {}, headers)).status).toBe(200)
      expect((await apps.guarded.call('GET /api/auth/get-session', undefined, { cookie })).body).toBeNull()
    })

    it('4.4 a sign-in with a wrong password returns 401 with the error object', async () => {
      const response = await apps.guarded.call('POST /api/auth/sign-in/email', { ...ADA, password: 'not her password' })
      expect([response.status, response.body]).toEqual([401, expect.objectContaining({ error: expect.any(Object) })])
    })

    it('4.4 the auth routes accept only GET and POST', async () => {
      expect((await apps.guarded.call('GET /api/auth/get-session')).status).toBe(200)
      expect((await apps.guarded.call('DELETE /api/auth/get-session')).status).toBe(405)
    })
  },
}
