import { createResource, type Resource } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bodyOf, startService } from './service.ts'
import { distinctStores } from './stores.ts'

const NOTES = '/api/v1/notes'

describe.each(distinctStores)('watch on $store', (kind) => {
  let notes: Pick<Resource, 'store'>
  const service = startService(kind, {
    routes: async (router, open) => {
      const created = createResource('notes', {
        schema: z.object({ title: z.string().max(100), body: z.string().max(100).default('') }),
        store: await open.source('notes', 'notes'),
        access: 'public',
        assign: () => ({ ownerId: 'ada' }),
        live: true,
      })
      notes = created
      return router.resource('v1', created)
    },
  })
  const make = async (title: string): Promise<number> =>
    bodyOf(await service.call(`POST ${NOTES}`, { body: { title } }))['id'] as number

  it('announces the ids of created, updated and deleted rows, until it is stopped', async () => {
    const announced: (readonly number[] | null)[] = []
    const stop = notes.store.watch?.((ids) => void announced.push(ids))
    /** Waits for the announcement of a row. All rows may be announced when the store begins to listen. */
    const announcement = async (id: number): Promise<void> => {
      await expect.poll(() => announced.some((ids) => ids?.includes(id))).toBe(true)
      announced.length = 0
    }
    // The store may still begin to listen, so the first change may be announced without its id.
    await make('first')
    await expect.poll(() => announced.length).toBeGreaterThan(0)
    const id = await make('second')
    await announcement(id)
    await service.call(`PATCH ${NOTES}/${id}`, { body: { title: 'changed' } })
    await announcement(id)
    await service.call(`DELETE ${NOTES}/${id}`)
    await announcement(id)
    stop?.()
    // A second watcher shows when the next change has been announced.
    const later: (readonly number[] | null)[] = []
    const end = notes.store.watch?.((ids) => void later.push(ids))
    await make('third')
    await expect.poll(() => later.length).toBeGreaterThan(0)
    expect(announced).toEqual([])
    end?.()
  })
})
