import { createResource, memoryStore } from '@sdk/server'
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Section } from './section.ts'

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Section 2.1. */
export const section2_1: Section = {
  number: '2.1',
  title: 'general conventions',
  tests(apps) {
    it('2.1 a resource has one plural name, for the collection and for its items', async () => {
      const { headers } = await apps.open.call('POST /api/v1/tasks', { title: 'Tea' })
      expect(headers['location']).toMatch(/^\/api\/v1\/tasks\/\d+$/)
      expect((await apps.open.call(`GET ${headers['location']}`)).status).toBe(200)
      expect((await apps.open.call('GET /api/v1/task')).status).toBe(404)
    })

    it('2.1 request and response bodies are JSON by default', async () => {
      const { headers, body } = await apps.open.call('GET /api/tenant')
      expect([headers['content-type'], body]).toEqual(['application/json', { tenant: null }])
      const plain = await apps.open.call('POST /api/v1/tasks', { title: 'Tea' }, { 'Content-Type': 'text/plain' })
      expect(plain.status).toBe(415)
    })

    it('2.1 every member of a response is in camelCase', async () => {
      await apps.open.call('POST /api/v1/tasks', { title: 'Tea' })
      const { body } = await apps.open.call('GET /api/v1/tasks?count=true')
      const names = namesIn([body, (await apps.open.call('GET /api/v1/tasks?limit=0')).body])
      expect(names).toEqual(expect.arrayContaining(['isDone', 'createdAt', 'nextCursor', 'details']))
      expect(names.filter((name) => !/^[a-z][a-zA-Z0-9]*$/.test(name))).toEqual([])
    })

    it('2.1 createResource throws if a field is not in camelCase', () => {
      const schema = z.object({ is_done: z.boolean() })
      expect(() => createResource('tasks', { schema, store: memoryStore(), access: 'public' })).toThrow(TypeError)
    })

    it('2.1 lists include pagination metadata', async () => {
      const { body } = await apps.open.call('GET /api/v1/tasks?limit=1')
      expect(body).toEqual({
        data: expect.any(Array),
        pagination: { limit: 1, hasMore: true, nextCursor: expect.any(String), prevCursor: null },
      })
    })

    it('2.1 resources include createdAt and updatedAt', async () => {
      const { body } = await apps.open.call('POST /api/v1/tasks', { title: 'Tea' })
      expect(body).toMatchObject({ createdAt: expect.stringMatching(ISO), updatedAt: expect.stringMatching(ISO) })
    })
  },
}

/** Section 2.2. */
export const section2_2: Section = {
  number: '2.2',
  title: 'error object',
  tests(apps) {
    it('2.2 an error has exactly code, message and details', async () => {
      const { body } = await apps.open.call('GET /api/v1/tasks/abc')
      expect(Object.keys(body as object)).toEqual(['error'])
      const { error } = body as { error: object }
      expect(Object.keys(error).toSorted()).toEqual(['code', 'details', 'message'])
    })

    it('2.2 the code is in upper snake case', async () => {
      for (const line of ['GET /api/v1/tasks/abc', 'GET /api/v1/tasks/99999', 'GET /api/broken', 'PUT /api/tenant'])
        expect((await apps.open.call(line)).body).toMatchObject({
          error: { code: expect.stringMatching(/^[A-Z]+(?:_[A-Z]+)*$/) },
        })
    })

    it('2.2 the message is a sentence', async () => {
      const { body } = await apps.open.call('GET /api/v1/tasks/abc')
      expect(body).toMatchObject({ error: { message: expect.stringMatching(/^\w+ \w+/) } })
    })

    it('2.2 details is a list with an entry for each issue, or empty', async () => {
      const { body } = await apps.open.call('POST /api/v1/tasks', { title: '', isDone: 'no' })
      expect(body).toMatchObject({ error: { details: [{ pointer: '/title' }, { pointer: '/isDone' }] } })
      expect((await apps.open.call('GET /api/v1/tasks/99999')).body).toMatchObject({ error: { details: [] } })
    })
  },
}

/** Returns the names of all nested members. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return [...own, ...Object.values(value).flatMap(namesIn)]
}
