import type { AccessRequest } from '../define/resource-definition.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createResource } from '../define/resource.ts'
import { appOf } from './app.test.fixture.ts'
import { memoryStore } from './memory-store.ts'
import type { ResourceShape, Store, Target, Where } from '../define/store.ts'

const schema = z.object({ title: z.string(), team: z.string().default('red') })

/** Access rule: `writer` can only write, `red` can write all rows but only read those of its team. */
function mayDo({ user, action }: AccessRequest): boolean | Where {
  if (user?.id === 'writer') return action !== 'get' && action !== 'list'
  if (user?.id === 'red') return action === 'get' ? { team: 'red' } : true
  if (user?.id === 'blue') return { team: 'blue' }
  return user !== null
}

describe('an update', () => {
  it('returns the row only to users who can read it', async () => {
    const send = appOf(createResource('tasks', { schema, store: memoryStore(), access: mayDo }))
    await send('POST /tasks', { as: 'ada', body: { title: 'a' } })
    const patch = (as: string, body: object) => send('PATCH /tasks/1', { as, body })
    expect((await patch('writer', { title: 'b' })).body).toEqual({ id: 1 })
    expect((await patch('writer', { title: 'b' })).body).toEqual({ id: 1 })
    expect((await send('PUT /tasks/1', { as: 'writer', body: { title: 'c' } })).body).toEqual({ id: 1 })
    expect((await patch('red', { title: 'd' })).body).toMatchObject({ title: 'd', team: 'red' })
    expect((await patch('red', { team: 'blue' })).body).toEqual({ id: 1 })
    expect((await patch('ada', { title: 'e' })).body).toMatchObject({ title: 'e', team: 'blue' })
    expect((await send('DELETE /tasks/1', { as: 'writer' })).body).toEqual({ id: 1 })
  })

  it('returns the row as stored, even if a listener modifies it', async () => {
    const send = appOf(
      createResource('lists', {
        schema: z.object({ tags: z.array(z.string()) }),
        store: memoryStore(),
        access: 'public',
        on: {
          updated: ({ tags }) => void tags.push('mine'),
          deleted: ({ tags }) => void tags.push('mine'),
        },
      }),
    )
    await send('POST /lists', { body: { tags: [] } })
    expect((await send('PATCH /lists/1', { body: { tags: ['a'] } })).body).toMatchObject({ tags: ['a'] })
    expect((await send('DELETE /lists/1')).body).toMatchObject({ tags: ['a'] })
  })

  it('treats undefined from the store like null', async () => {
    let replaced = 0
    const store = (shape: ResourceShape): Store => {
      const { get, create, replace } = memoryStore()(shape) as Required<Store>
      const first = undefined as unknown as null
      return { get, create, replace: async (...all) => (replaced++ === 0 ? first : replace(...all)) }
    }
    const send = appOf(createResource('tasks', { schema, store, access: 'public' }))
    await send('POST /tasks', { body: { title: 'a' } })
    expect((await send('PATCH /tasks/1', { body: { title: 'b' } })).body).toMatchObject({ title: 'b' })
    expect(replaced).toBe(2)
  })

  it('does not wait for the row lock if the user cannot access the row', async () => {
    let reads = 0
    let open = (): void => {}
    const gate = new Promise<void>((resolve) => (open = resolve))
    const store = (shape: ResourceShape): Store => {
      const inner = memoryStore()(shape) as Required<Store>
      return {
        ...inner,
        async get(target) {
          reads++
          await gate
          return inner.get(target)
        },
      }
    }
    const send = appOf(createResource('tasks', { schema, store, access: mayDo }))
    await send('POST /tasks', { as: 'ada', body: { title: 'a' } })
    const foreign = Array.from({ length: 9 }, () => send('PATCH /tasks/1', { as: 'blue', body: { title: 'x' } }))
    const own = send('PATCH /tasks/1', { as: 'ada', body: { title: 'b' } })
    await expect.poll(() => reads).toBe(10)
    open()
    expect((await Promise.all(foreign)).map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 404))
    expect(await own).toMatchObject({ status: 200, body: { title: 'b' } })
  })

  it('needs one read and one write, and few more among 50 concurrent updates', async () => {
    const calls: string[] = []
    const store = (shape: ResourceShape): Store => {
      const inner = memoryStore()(shape) as Required<Store>
      const slowly = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
        calls.push(name)
        await new Promise((resolve) => setImmediate(resolve))
        return work()
      }
      return {
        create: (values) => inner.create(values),
        get: (target: Target) => slowly('get', () => inner.get(target)),
        replace: (target, values) => slowly('replace', () => inner.replace(target, values)),
      }
    }
    const send = appOf(createResource('tasks', { schema, store, access: 'public' }))
    await send('POST /tasks', { body: { title: 'a' } })
    await send('PATCH /tasks/1', { body: { title: 'b' } })
    expect(calls.splice(0)).toEqual(['get', 'replace'])
    const all = Array.from({ length: 50 }, (_, n) => send('PATCH /tasks/1', { body: { title: `n${n}` } }))
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(calls.filter((name) => name === 'replace')).toHaveLength(50)
    expect(calls.length).toBeLessThanOrEqual(150)
  })

  it('writes only the changed fields', async () => {
    const written: unknown[] = []
    const store = (shape: ResourceShape): Store => {
      const inner = memoryStore()(shape) as Required<Store>
      return {
        create: (values) => inner.create(values),
        get: (target) => inner.get(target),
        replace(target, values) {
          written.push(values)
          return inner.replace(target, values)
        },
      }
    }
    const two = z.object({ title: z.string(), notes: z.string().nullable().default(null) })
    const send = appOf(createResource('tasks', { schema: two, store, access: 'public' }))
    await send('POST /tasks', { body: { title: 'a', notes: 'n' } })
    await send('PATCH /tasks/1', { body: { title: 'b' } })
    await send('PUT /tasks/1', { body: { title: 'b', notes: 'm' } })
    await send('PUT /tasks/1', { body: { title: 'b', notes: 'm' } })
    expect(written).toEqual([{ title: 'b' }, { notes: 'm' }])
  })
})
