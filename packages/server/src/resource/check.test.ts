import { ApiError } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createResource } from '../define/resource.ts'
import { appOf, type Send } from './app.test.fixture.ts'
import { memoryStore } from './memory-store.ts'

const schema = z.object({
  title: z.string(),
  projectId: z.number().int().optional(),
  state: z.enum(['open', 'done']).default('open'),
})

/** Creates an app with tasks of projects 1 and 2 that cannot be reopened. Records the arguments of check in `seen`. */
function start(seen: unknown[] = []): Send {
  return appOf(
    createResource('tasks', {
      schema,
      store: memoryStore(),
      access: ({ user }) => user !== null,
      assign: ({ user }) => ({ ownerId: user.id }),
      async check(values, ctx, before) {
        seen.push([ctx.auth?.session.userId, values, before && { id: before.id, state: before.state }])
        await Promise.resolve()
        if (values.projectId !== null && values.projectId > 2)
          throw new ApiError('INVALID_REQUEST', 'there is no such project', {
            details: [{ code: 'INVALID_VALUE', message: 'leads nowhere', source: 'body', pointer: '/projectId' }],
          })
        if (before?.state === 'done' && values.state === 'open') throw new ApiError('CONFLICT', 'it is done')
      },
    }),
  )
}

describe('check', () => {
  it('receives all fields as they would be stored, the user and the previous row', async () => {
    const seen: unknown[] = []
    const send = start(seen)
    await send('POST /tasks', { as: 'ada', body: { title: 'tea' } })
    await send('PATCH /tasks/1', { as: 'bob', body: { projectId: 2 } })
    await send('PUT /tasks/1', { as: 'ada', body: { title: 'milk', state: 'done' } })
    expect(seen).toEqual([
      ['ada', { title: 'tea', projectId: null, state: 'open' }, null],
      ['bob', { title: 'tea', projectId: 2, state: 'open' }, { id: 1, state: 'open' }],
      ['ada', { title: 'milk', projectId: null, state: 'done' }, { id: 1, state: 'open' }],
    ])
  })

  it('rejects the request with the error it throws and stores nothing', async () => {
    const send = start()
    const lost = { title: 'tea', projectId: 3 }
    expect(await send('POST /tasks', { as: 'ada', body: lost })).toMatchObject({
      status: 400,
      faults: ['INVALID_VALUE /projectId'],
    })
    expect((await send('GET /tasks', { as: 'ada' })).body).toMatchObject({ data: [] })
    await send('POST /tasks', { as: 'ada', body: { title: 'tea', state: 'done' } })
    for (const line of ['PATCH /tasks/1', 'PUT /tasks/1'])
      expect(await send(line, { as: 'ada', body: { title: 'milk', state: 'open' } })).toMatchObject({ status: 409 })
    expect((await send('GET /tasks/1', { as: 'ada' })).body).toMatchObject({ title: 'tea', state: 'done' })
  })

  it('is not called for invalid input, unchanged rows, reads or deletes', async () => {
    const seen: unknown[] = []
    const send = start(seen)
    await send('POST /tasks', { as: 'ada', body: { title: 'tea' } })
    expect((await send('POST /tasks', { as: 'ada', body: { title: 7 } })).status).toBe(400)
    expect((await send('PATCH /tasks/1', { as: 'ada', body: { title: 'tea' } })).status).toBe(200)
    expect((await send('GET /tasks', { as: 'ada' })).status).toBe(200)
    expect((await send('DELETE /tasks/1', { as: 'ada' })).status).toBe(200)
    expect(seen).toHaveLength(1)
  })

  it('lets a rejected request be retried with the same Idempotency-Key', async () => {
    const send = start()
    const create = (body: object) => send('POST /tasks', { as: 'ada', body, headers: { 'idempotency-key': 'k' } })
    expect((await create({ title: 'tea', projectId: 3 })).status).toBe(400)
    expect((await create({ title: 'tea', projectId: 2 })).status).toBe(201)
  })

  it('must be a function', () => {
    const definition = { schema, store: memoryStore(), access: 'public', check: 'no' } as const
    expect(() => createResource('tasks', definition as never)).toThrow('resource "tasks": check must be a function')
  })
})
