import { ApiError, type Schema } from '@sdk/protocol'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createResource } from '../define/resource.ts'
import { appOf, type Send } from './app.test.fixture.ts'
import { memoryStore } from './memory-store.ts'
import type { ResourceShape, Store } from '../define/store.ts'

const toSlug = (title: string): string => title.toLowerCase().replaceAll(/\W+/g, '-')

/** Creates an app with posts whose slug is derived from their title. */
function posts(schema: Schema<unknown, { title: string }>): Send {
  return appOf(
    createResource('posts', {
      schema,
      store: memoryStore(),
      access: 'public',
      assign: ({ input }) => ({ slug: toSlug(input.title), size: input.title.length }),
    }),
  )
}

const SCHEMAS: [name: string, schema: Schema<unknown, { title: string }>][] = [
  ['zod', z.object({ slug: z.string(), title: z.string().trim().min(2), views: z.int().default(0), on: z.iso.date() })],
  ['zod, not required', z.object({ slug: z.string().default(''), title: z.string().trim().min(2), on: z.iso.date() })],
  ['arktype', type({ slug: 'string', title: type('string.trim').to('string >= 2'), on: 'string.date' })],
  [
    'valibot',
    toStandardJsonSchema(
      v.object({
        slug: v.string(),
        title: v.pipe(v.string(), v.minLength(2)),
        on: v.pipe(v.string(), v.isoDate()),
      }),
    ),
  ],
]

describe.each(SCHEMAS)('assign with input, using %s', (name, schema) => {
  const on = '2026-01-31'
  const title = name === 'valibot' ? 'Green tea' : ' Green tea '

  it('derives a field from the parsed value of another field', async () => {
    const send = posts(schema)
    expect(await send('POST /posts', { body: { title, on } })).toMatchObject({
      status: 201,
      body: { title: 'Green tea', slug: 'green-tea', on },
    })
  })

  it('returns 400 if the fields it reads are missing or invalid', async () => {
    const send = posts(schema)
    expect((await send('POST /posts', { body: {} })).faults).toEqual(['REQUIRED /title'])
    expect((await send('POST /posts', { body: { on } })).faults).toEqual(['REQUIRED /title'])
    expect((await send('POST /posts', { body: { title: 'a', on: 'soon' } })).faults.toSorted()).toEqual(
      expect.arrayContaining(['TOO_SHORT /title', expect.stringContaining(' /on')]),
    )
    expect((await send('POST /posts', { body: { title } })).faults).toEqual(['REQUIRED /on'])
    expect((await send('POST /posts', { body: { title, on, slug: 'mine' } })).faults).toEqual(['READ_ONLY /slug'])
    expect((await send('GET /posts')).body).toMatchObject({ data: [] })
  })

  it('keeps the assigned field of an existing row on PATCH and PUT', async () => {
    const send = posts(schema)
    await send('POST /posts', { body: { title, on } })
    expect((await send('PATCH /posts/1', { body: { title: 'Ice' } })).body).toMatchObject({
      title: 'Ice',
      slug: 'green-tea',
    })
    expect((await send('PATCH /posts/1', { body: { on: '2026-02-01' } })).body).toMatchObject({ title: 'Ice' })
    expect((await send('PUT /posts/1', { body: { title: 'Milk', on } })).body).toMatchObject({ slug: 'green-tea' })
    expect((await send('PATCH /posts/1', { body: { title: 'a' } })).faults).toEqual(['TOO_SHORT /title'])
    expect((await send('PUT /posts/1', { body: { on } })).faults).toEqual(['REQUIRED /title'])
    expect((await send('PATCH /posts/1', { body: { slug: 'mine' } })).faults).toEqual(['READ_ONLY /slug'])
  })
})

describe('assign', () => {
  /** Creates an app with steps of projects 1 and 2, which belong to company 7. */
  function steps(seen: unknown[] = []): Send {
    return appOf(
      createResource('steps', {
        schema: z.object({
          title: z.string(),
          projectId: z.int(),
          dueAt: z.coerce.date().optional(),
          companyId: z.int(),
        }),
        store: memoryStore(),
        access: ({ user }) => user !== null,
        async assign({ user, action, input: { title, projectId, dueAt } }) {
          await Promise.resolve()
          seen.push({ action, title, projectId, dueAt })
          if (projectId > 2) throw new ApiError('FORBIDDEN', 'it is not your project')
          return { ownerId: user.id, companyId: 7 }
        },
      }),
    )
  }

  it('can be async and reject the input with an ApiError', async () => {
    const send = steps()
    const body = { title: 'Brew', projectId: 2 }
    expect((await send('POST /steps', { as: 'ada', body })).body).toMatchObject({ ...body, companyId: 7 })
    expect((await send('POST /steps', { as: 'ada', body: { ...body, projectId: 3 } })).status).toBe(403)
    expect((await send('PATCH /steps/1', { as: 'ada', body: { projectId: 3 } })).status).toBe(403)
    expect((await send('POST /steps', { body })).status).toBe(401)
  })

  it('receives all fields as they would be stored, including on a partial update', async () => {
    const seen: unknown[] = []
    const send = steps(seen)
    await send('POST /steps', { as: 'ada', body: { title: 'Brew', projectId: 2, dueAt: '2026-01-31T10:00:00+01:00' } })
    await send('PATCH /steps/1', { as: 'ada', body: { title: 'Pour' } })
    await send('PUT /steps/1', { as: 'ada', body: { title: 'Drink', projectId: 1 } })
    const dueAt = '2026-01-31T09:00:00.000Z'
    expect(seen).toEqual([
      { action: 'create', title: 'Brew', projectId: 2, dueAt },
      { action: 'update', title: 'Pour', projectId: 2, dueAt },
      { action: 'replace', title: 'Drink', projectId: 1, dueAt: null },
    ])
  })

  it('validates the input once if it sets no schema field', async () => {
    let validations = 0
    const title = z.string().refine(() => {
      validations++
      return true
    })
    const send = appOf(
      createResource('notes', {
        schema: z.object({ title }),
        store: memoryStore(),
        access: 'public',
        assign: ({ input }) => ({ hidden: input.title }),
      }),
    )
    expect((await send('POST /notes', { body: { title: 'Tea' } })).status).toBe(201)
    expect((await send('PATCH /notes/1', { body: { title: 'Ice' } })).status).toBe(200)
    expect(validations).toBe(2)
  })

  it('can skip an invalid field, whose issues are still reported', async () => {
    const send = appOf(
      createResource('notes', {
        schema: z.object({ title: z.string(), size: z.int().max(5), initial: z.string().length(1) }),
        store: memoryStore(),
        access: 'public',
        assign({ input }) {
          return { initial: 'title' in { ...input } ? input.title.slice(0, 1) : '' }
        },
      }),
    )
    expect((await send('POST /notes', { body: { title: 7, size: 9 } })).faults).toEqual([
      'INVALID_TYPE /title',
      'TOO_LARGE /size',
    ])
    expect((await send('POST /notes', { body: { title: 'Tea', size: 1 } })).body).toMatchObject({ initial: 'T' })
  })

  it('receives the stored value of a field that the patch omits, even if the schema now rejects it', async () => {
    const seen: unknown[] = []
    const store = (shape: ResourceShape): Store => {
      const inner = memoryStore()(shape)
      void inner.create?.({ title: 'Tea', size: 9 })
      return inner
    }
    const send = appOf(
      createResource('notes', {
        schema: z.object({ title: z.string(), size: z.int().max(5) }),
        store,
        access: 'public',
        assign({ input }) {
          seen.push([input.title, input.size])
          return {}
        },
      }),
    )
    expect((await send('PATCH /notes/1', { body: { title: 'Ice' } })).body).toMatchObject({ title: 'Ice', size: 9 })
    expect((await send('PATCH /notes/1', { body: { size: 8 } })).faults).toEqual(['TOO_LARGE /size'])
    expect((await send('PATCH /notes/1', { body: { title: 7 } })).faults).toEqual(['INVALID_TYPE /title'])
    expect(seen).toEqual([['Ice', 9]])
  })
})
