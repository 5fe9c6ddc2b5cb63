import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createResource } from '../define/resource.ts'
import { appOf } from './app.test.fixture.ts'
import { memoryStore } from './memory-store.ts'
import type { Fields, ListQuery, ListResult, OnceKey, OnceResult, Row, Store, Target } from '../define/store.ts'

const schema = z.object({ title: z.string() })
const shape = { name: 'tasks', fields: [], filter: [], sort: [], unique: [] }

/** A store implemented as a class, whose methods use `this`. */
class Shop implements Store {
  readonly #rows = memoryStore()(shape) as Required<Store>
  readonly #stored = new Map<string, string>()

  list(query: ListQuery): Promise<ListResult> {
    return this.#rows.list(query)
  }
  get(target: Target): Promise<Row | null> {
    return this.#rows.get(target)
  }
  create(values: Fields): Promise<Row> {
    return this.#rows.create(values)
  }
  replace(target: Target, values: Fields): Promise<Row | null> {
    return this.#rows.replace(target, values)
  }
  delete(target: Target): Promise<Row | null> {
    return this.#rows.delete(target)
  }
  async once({ key, print }: OnceKey, work: (store: Store) => Promise<string>): Promise<OnceResult> {
    const stored = this.#stored.get(key)
    const value = stored ?? (await work(this))
    this.#stored.set(key, value)
    return { isNew: stored === undefined, print, value }
  }
}

describe('resource routes', () => {
  it('call the methods of a store with the store as this', async () => {
    const send = appOf(createResource('tasks', { schema, store: new Shop(), access: 'public' }))
    const body = { title: 'a' }
    const headers = { 'idempotency-key': 'k' }
    const responses = [
      await send('POST /tasks', { body }),
      await send('POST /tasks', { body, headers }),
      await send('POST /tasks', { body, headers }),
      await send('GET /tasks'),
      await send('GET /tasks/1'),
      await send('PUT /tasks/1', { body: { title: 'b' } }),
      await send('PATCH /tasks/1', { body: { title: 'c' } }),
      await send('DELETE /tasks/2'),
      await send('DELETE /tasks/1', { headers: { 'if-match': '"x"' } }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 200, 200, 200, 200, 200, 412])
  })

  it('send the deprecation headers with errors, too', async () => {
    const resource = createResource('tasks', { schema, store: memoryStore(), access: 'public' })
    const options = { deprecated: '2026-01-01', sunset: '2099-01-01', successor: '/api/v2/tasks' }
    const send = appOf(resource, options)
    for (const line of ['GET /tasks', 'GET /tasks/7', 'GET /tasks?nope=1', 'GET /tasks/x']) {
      const { headers } = await send(line)
      expect(headers.get('deprecation')).toBe('@1767225600')
      expect(headers.get('sunset')).toBe('Thu, 01 Jan 2099 00:00:00 GMT')
      expect(headers.get('link')).toBe('</api/v2/tasks>; rel="successor-version"')
    }
  })

  it('reject If-Match with a tag if the store has no get', async () => {
    const { create, delete: remove } = memoryStore()(shape) as Required<Store>
    const blind: Store = { create, delete: remove }
    expect(() => createResource('tasks', { schema, store: blind, access: 'public', ifMatch: 'required' })).toThrow(
      'resource "tasks": ifMatch is \'required\', but the store has no get',
    )
    const send = appOf(createResource('tasks', { schema, store: blind, access: 'public' }))
    for (const title of ['a', 'b']) await send('POST /tasks', { body: { title } })
    const erase = (path: string, headers: Record<string, string>) => send(`DELETE ${path}`, { headers })
    expect(await erase('/tasks/1', { 'if-match': '"1"' })).toMatchObject({ status: 412 })
    expect(await erase('/tasks/1', { 'if-none-match': '*' })).toMatchObject({ status: 412 })
    expect(await erase('/tasks/1', { 'if-match': 'x' })).toMatchObject({ status: 400 })
    expect(await erase('/tasks/1', { 'if-match': '*' })).toMatchObject({ status: 200 })
    expect(await erase('/tasks/2', {})).toMatchObject({ status: 200 })
  })
})
