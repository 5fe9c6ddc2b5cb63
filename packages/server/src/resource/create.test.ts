import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createResource } from '../define/resource.ts'
import { appOf } from './app.test.fixture.ts'
import { memoryStore } from './memory-store.ts'
import type { ResourceShape, Store } from '../define/store.ts'

const schema = z.object({ title: z.string() })

describe('a new row', () => {
  it('is told of once, by the one whose work was kept', async () => {
    const told: string[] = []
    const store = (shape: ResourceShape): Store => {
      const rows = memoryStore()(shape)
      let kept: { print: string; value: string } | undefined
      return {
        ...rows,
        // The work is done, but the result of another is found then.
        async once({ print }, work) {
          const value = await work(rows)
          const isNew = kept === undefined
          kept ??= { print, value }
          return { isNew, ...kept }
        },
      }
    }
    const created = ({ title }: { title: string }): void => void told.push(title)
    const send = appOf(createResource('tasks', { schema, store, access: 'public', on: { created } }))
    const ask = () => send('POST /tasks', { body: { title: 'a' }, headers: { 'idempotency-key': 'k' } })
    expect((await ask()).headers.get('idempotent-replayed')).toBeNull()
    expect((await ask()).headers.get('idempotent-replayed')).toBe('true')
    await send('POST /tasks', { body: { title: 'b' } })
    expect(told).toEqual(['a', 'b'])
  })
})
