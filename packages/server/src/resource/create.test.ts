import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createResource } from '../define/resource.ts'
import { appOf } from './app.test.fixture.ts'
import { memoryStore } from './memory-store.ts'
import type { ResourceShape, Store } from '../define/store.ts'

const schema = z.object({ title: z.string() })

describe('on.created', () => {
  it('is called only by the request whose result was stored', async () => {
    const titles: string[] = []
    const store = (shape: ResourceShape): Store => {
      const rows = memoryStore()(shape)
      let stored: { print: string; value: string } | undefined
      return {
        ...rows,
        // Runs the work even if a result is already stored.
        async once({ print }, work) {
          const value = await work(rows)
          const isNew = stored === undefined
          stored ??= { print, value }
          return { isNew, ...stored }
        },
      }
    }
    const created = ({ title }: { title: string }): void => void titles.push(title)
    const send = appOf(createResource('tasks', { schema, store, access: 'public', on: { created } }))
    const post = () => send('POST /tasks', { body: { title: 'a' }, headers: { 'idempotency-key': 'k' } })
    expect((await post()).headers.get('idempotent-replayed')).toBeNull()
    expect((await post()).headers.get('idempotent-replayed')).toBe('true')
    await send('POST /tasks', { body: { title: 'b' } })
    expect(titles).toEqual(['a', 'b'])
  })
})
