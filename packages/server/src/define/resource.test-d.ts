import type { User } from '../auth/identity.ts'
import type { Page } from '@sdk/protocol'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type { Context } from '../context/context.ts'
import { createResource } from './resource.ts'
import { memoryStore } from '../resource/memory-store.ts'
import { createRouter, type RoutesOf } from './router.ts'

const schema = z.object({
  title: z.string().min(1).max(200),
  done: z.boolean().default(false),
  notes: z.string().optional(),
  dueAt: z.date().nullable(),
})

const tasks = createResource('tasks', {
  schema,
  store: memoryStore(),
  access: ({ user }) => (user ? { ownerId: user.id } : false),
  assign: ({ user }) => ({ ownerId: user.id }),
  filter: ['done', 'title'],
  sort: ['title', 'createdAt'],
  check(values, ctx, before) {
    expectTypeOf(values).toEqualTypeOf<Omit<Task, 'id' | 'createdAt' | 'updatedAt'>>()
    expectTypeOf(before).toEqualTypeOf<Task | null>()
    expectTypeOf(ctx).toExtend<Context>()
  },
  on: {
    created: (task, ctx) => ctx.publish('tasks', { id: task.id, title: task.title }),
    updated: (task, _, before) => expectTypeOf(before).toEqualTypeOf(task),
  },
})
const _router = createRouter().resource('v1', tasks)
type Known = RoutesOf<typeof _router>
type Task = {
  id: number
  title: string
  done: boolean
  notes: string | null
  dueAt: string | null
  createdAt: string
  updatedAt: string
}

describe('createResource', () => {
  it('rejects with the error that check throws, not with its return value', () => {
    type Check = NonNullable<Parameters<typeof createResource<'tasks', typeof schema, 'public'>>[1]['check']>
    expectTypeOf<(values: { title: string }) => Promise<void>>().toExtend<Check>()
    // The return value would be ignored.
    expectTypeOf<(values: { title: string }) => boolean>().not.toExtend<Check>()
  })

  it('returns every field, with null for no value and dates as strings', () => {
    expectTypeOf<Known['GET /api/v1/tasks/:id']['~io']['output']>().toEqualTypeOf<Task>()
    expectTypeOf<Known['DELETE /api/v1/tasks/:id']['~io']['output']>().toEqualTypeOf<Task>()
    expectTypeOf<Known['GET /api/v1/tasks']['~io']['output']>().toEqualTypeOf<Page<Task>>()
  })

  it('accepts the input of the schema, and any part of it in a patch', () => {
    expectTypeOf<Known['POST /api/v1/tasks']['~io']['input']>().toEqualTypeOf<z.input<typeof schema>>()
    expectTypeOf<Known['PUT /api/v1/tasks/:id']['~io']['input']>().toEqualTypeOf<z.input<typeof schema>>()
    expectTypeOf<{ title: string }>().toExtend<Known['PATCH /api/v1/tasks/:id']['~io']['input']>()
    expectTypeOf<{ notes: null }>().toExtend<Known['PATCH /api/v1/tasks/:id']['~io']['input']>()
    // The route would return 400: title is required.
    expectTypeOf<{ title: null }>().not.toExtend<Known['PATCH /api/v1/tasks/:id']['~io']['input']>()
    expectTypeOf<{ title: number }>().not.toExtend<Known['PATCH /api/v1/tasks/:id']['~io']['input']>()
  })

  it('types the query of its list', () => {
    type Query = Known['GET /api/v1/tasks']['~io']['query']
    expectTypeOf<{ done: false; sort: '-title'; limit: 5; count: true }>().toExtend<Query>()
    expectTypeOf<{ 'title[gte]': 'a'; 'title[in]': 'a,b'; sort: 'title,-createdAt' }>().toExtend<Query>()
    // For apps with exactOptionalPropertyTypes: the client omits undefined parameters.
    type Unset = undefined
    expectTypeOf<{ done: boolean | Unset; 'title[gte]': string | Unset; cursor: string | Unset }>().toExtend<Query>()
    expectTypeOf<{ sort: 'done' }>().not.toExtend<Query>()
    expectTypeOf<{ done: 'yes' }>().not.toExtend<Query>()
    expectTypeOf<Query>().not.toHaveProperty('notes')
  })

  it('types the first sort field, even with many fields', () => {
    type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
    type Name = `field${Digit}${Digit}${0 | 1}`
    const _wide = createResource('wide', {
      schema: z.object({} as Record<Name, z.ZodString>),
      store: memoryStore(),
      access: 'public',
      sort: [] as Name[],
    })
    // All pairs of 200 fields in both directions would exceed the limit of TypeScript for unions.
    const _routes = createRouter().resource('v1', _wide)
    type Query = RoutesOf<typeof _routes>['GET /api/v1/wide']['~io']['query']
    expectTypeOf<{ sort: '-field421' | 'field421,-field990' | 'id' | '-id' }>().toExtend<Query>()
    expectTypeOf<{ sort: 'field421,field9' }>().toExtend<Query>()
    expectTypeOf<{ sort: 'field9' | 'field9,field421' }>().not.toExtend<Query>()
  })

  it('types dates as strings at every depth', () => {
    const deep = createResource('plans', {
      schema: z.object({
        at: z.date().optional(),
        days: z.array(z.date()),
        pair: z.tuple([z.date(), z.string()]),
        meta: z.object({ since: z.date().optional(), notes: z.array(z.object({ at: z.date().nullable() })) }),
        byName: z.record(z.string(), z.date()),
        size: z.bigint(),
        any: z.unknown(),
      }),
      store: memoryStore(),
      access: 'public',
    })
    expectTypeOf<(typeof deep)['~types']['item']>().toEqualTypeOf<{
      id: number
      at: string | null
      days: string[]
      pair: [string, string]
      meta: { since?: string | undefined; notes: { at: string | null }[] }
      byName: Record<string, string>
      size: string
      any: unknown
      createdAt: string
      updatedAt: string
    }>()
  })

  it('accepts parts of nested objects in a patch, but only whole arrays', () => {
    const deep = createResource('plans', {
      schema: z.object({
        meta: z.object({ color: z.string(), inner: z.object({ a: z.number(), b: z.number().optional() }) }),
        labels: z.record(z.string(), z.number()),
        rooms: z.array(z.object({ number: z.number(), floor: z.number() })),
      }),
      store: memoryStore(),
      access: 'public',
    })
    type Update = (typeof deep)['~types']['update']
    expectTypeOf<{ meta: { inner: { a: 1; b: null } } }>().toExtend<Update>()
    expectTypeOf<{ labels: { old: null; new: 1 } }>().toExtend<Update>()
    expectTypeOf<{ meta: { color: null } }>().not.toExtend<Update>()
    expectTypeOf<{ meta: { color: 1 } }>().not.toExtend<Update>()
    expectTypeOf<{ rooms: { number: number }[] }>().not.toExtend<Update>()
    expectTypeOf<{ rooms: { number: number; floor: number }[] }>().toExtend<Update>()
  })

  it('types the filter operators by the type of the field', () => {
    const store = memoryStore()
    const things = z.object({
      isDone: z.boolean().optional(),
      size: z.number().nullable(),
      tags: z.array(z.string()),
      meta: z.object({}).optional(),
      any: z.unknown(),
    })
    const rules = { schema: things, store, access: 'public' } as const
    const filtered = createResource('things', { ...rules, filter: ['isDone', 'size', 'id', 'createdAt'] })
    type Query = (typeof filtered)['~types']['query']
    expectTypeOf<{ 'isDone[ne]': true; 'size[gt]': 1; 'id[gte]': 7; 'createdAt[lt]': '2026-01-31' }>().toExtend<Query>()
    expectTypeOf<{ 'isDone[null]': true; 'size[null]': false }>().toExtend<Query>()
    expectTypeOf<{ 'size[null]': 1 }>().not.toExtend<Query>()
    // Every row has an id.
    expectTypeOf<Query>().not.toHaveProperty('id[null]')
    expectTypeOf<Query>().not.toHaveProperty('isDone[gt]')
    expectTypeOf<Query>().not.toHaveProperty('isDone[lte]')
    expectTypeOf<{ id: 'x' }>().not.toExtend<Query>()
    // @ts-expect-error -- an array has no order
    createResource('things', { ...rules, filter: ['tags'] })
    // @ts-expect-error -- an object has no order
    createResource('things', { ...rules, sort: ['meta'] })
    // @ts-expect-error -- an unknown value has no order
    createResource('things', { ...rules, unique: ['any'] })
  })

  it('passes a user to assign, which can be null if access is public', () => {
    createResource('notes', {
      schema,
      store: memoryStore(),
      access: 'public',
      assign: ({ user }) => {
        expectTypeOf(user).toEqualTypeOf<User | null>()
        return { author: user?.name ?? null }
      },
    })
    createResource('notes', {
      schema,
      store: memoryStore(),
      access: () => true,
      assign: ({ user }) => {
        expectTypeOf(user).toEqualTypeOf<User>()
        return {}
      },
    })
  })

  it('passes the input to assign and omits assigned fields from the input of requests', () => {
    type Post = Task & { slug: string }
    const posts = createResource('posts', {
      schema: schema.extend({ slug: z.string() }),
      store: memoryStore(),
      access: 'public',
      async assign({ input }) {
        expectTypeOf(input).toEqualTypeOf<Omit<Post, 'id' | 'createdAt' | 'updatedAt'>>()
        return { slug: input.title, hidden: 1 }
      },
    })
    type Types = (typeof posts)['~types']
    expectTypeOf<Types['create']>().toEqualTypeOf<Omit<z.input<typeof schema>, 'slug'>>()
    expectTypeOf<Types['update']>().not.toHaveProperty('slug')
    expectTypeOf<Types['item']>().toHaveProperty('slug')
    expectTypeOf<Types['item']>().not.toHaveProperty('hidden')
  })

  it('accepts unique fields of the schema and of assign, alone or in groups', () => {
    const rules = { schema, store: memoryStore() } as const
    const notes = createResource('notes', {
      ...rules,
      access: () => true,
      assign: ({ user }) => Promise.resolve({ ownerId: user.id }),
      unique: ['title', ['ownerId', 'title'], ['ownerId']],
    })
    expectTypeOf(notes.name).toEqualTypeOf<'notes'>()
    createResource('notes', {
      ...rules,
      access: () => true,
      assign: ({ user }) => ({ ownerId: user.id }),
      // @ts-expect-error -- neither a field nor assigned
      unique: [['title', 'ownerld']],
    })
    // @ts-expect-error -- not a field
    createResource('notes', { ...rules, access: 'public', unique: ['nope'] })
  })

  it('rejects unknown fields, a missing access rule and an invalid version', () => {
    const store = memoryStore()
    expectTypeOf(createResource).toBeFunction()
    // @ts-expect-error -- not a field
    createResource('notes', { schema, store, access: 'public', filter: ['nope'] })
    // @ts-expect-error -- not a field
    createResource('notes', { schema, store, access: 'public', sort: ['nope'] })
    // @ts-expect-error -- access is missing
    createResource('notes', { schema, store })
    // @ts-expect-error -- versions are v1, v2, …
    createRouter().resource('1', tasks)
  })
})

const pages = createResource('pages', {
  schema: z.object({ slug: z.string(), text: z.string() }),
  store: memoryStore(),
  access: 'public',
  key: 'slug',
  computed: { length: { output: z.number(), load: (rows) => rows.map(({ text }) => text.length) } },
})

describe('ctx.rows', () => {
  it('is typed by the resource', () => {
    const _handler = async (ctx: Context) => {
      const rows = ctx.rows(tasks)
      expectTypeOf(await rows.list({ done: true, sort: '-createdAt' })).toEqualTypeOf<Page<Task>>()
      expectTypeOf(await rows.get(1)).toEqualTypeOf<Task>()
      expectTypeOf(await rows.create({ title: 'Tea', dueAt: null })).toEqualTypeOf<Task>()
      expectTypeOf(await rows.update(1, { done: true })).toEqualTypeOf<Task>()
      expectTypeOf(await rows.delete(1)).toEqualTypeOf<Task>()
      await rows.delete(1, { ifMatch: await rows.get(1) })
      await rows.update(1, { done: true }, { ifMatch: ctx.header('if-match') })
      // @ts-expect-error -- not a row
      await rows.update(1, { done: true }, { ifMatch: { id: 1 } })
      // @ts-expect-error -- not a field
      await rows.create({ name: 'Tea', dueAt: null })
      // @ts-expect-error -- not a filter field
      await rows.list({ notes: 'Tea' })
      // @ts-expect-error -- the resource has no key
      await rows.get({ title: 'Tea' })
      // @ts-expect-error -- the resource has nothing to expand
      await rows.get(1, { expand: ['title'] })
    }
    expectTypeOf(_handler).toBeFunction()
  })

  it('accepts keys and expanded values', () => {
    const _handler = async (ctx: Context) => {
      const rows = ctx.rows(pages)
      expectTypeOf(await rows.get({ slug: 'tea' })).toEqualTypeOf<Awaited<ReturnType<typeof rows.create>>>()
      expectTypeOf((await rows.get({ slug: 'tea' }, { expand: ['length'] })).length).toEqualTypeOf<number>()
      expectTypeOf((await rows.list({ expand: ['length'] })).data[0]?.length).toEqualTypeOf<number | undefined>()
      await rows.replace({ slug: 'tea' }, { text: 'Tea' })
      await rows.update({ slug: 'tea' }, { text: undefined })
      await rows.delete({ slug: 'tea' })
      // @ts-expect-error -- the value is not expanded
      void (await rows.get(1)).length
      // @ts-expect-error -- not a field of the key
      await rows.get({ text: 'Tea' })
      // @ts-expect-error -- not a computed value
      await rows.get(1, { expand: ['width'] })
      // @ts-expect-error -- a replacement by id needs all fields
      await rows.replace(1, { text: 'Tea' })
    }
    expectTypeOf(_handler).toBeFunction()
  })
})
