import type { Page } from '@sdk/protocol'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createResource } from './resource.ts'
import { memoryStore } from './resource/memory-store.ts'
import { createRouter, type RoutesOf } from './router.ts'
import type { User } from './auth-seat.ts'

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
  it('shows every field, with null for no value and dates as texts', () => {
    expectTypeOf<Known['GET /api/v1/tasks/:id']['~io']['output']>().toEqualTypeOf<Task>()
    expectTypeOf<Known['DELETE /api/v1/tasks/:id']['~io']['output']>().toEqualTypeOf<Task>()
    expectTypeOf<Known['GET /api/v1/tasks']['~io']['output']>().toEqualTypeOf<Page<Task>>()
  })

  it('takes the input of the schema, and in a patch any part of it', () => {
    expectTypeOf<Known['POST /api/v1/tasks']['~io']['input']>().toEqualTypeOf<z.input<typeof schema>>()
    expectTypeOf<Known['PUT /api/v1/tasks/:id']['~io']['input']>().toEqualTypeOf<z.input<typeof schema>>()
    expectTypeOf<{ title: string }>().toExtend<Known['PATCH /api/v1/tasks/:id']['~io']['input']>()
    expectTypeOf<{ notes: null }>().toExtend<Known['PATCH /api/v1/tasks/:id']['~io']['input']>()
    expectTypeOf<{ title: number }>().not.toExtend<Known['PATCH /api/v1/tasks/:id']['~io']['input']>()
  })

  it('knows the parameters of its list', () => {
    type Query = Known['GET /api/v1/tasks']['~io']['query']
    expectTypeOf<{ done: false; sort: '-title'; limit: 5; count: true }>().toExtend<Query>()
    expectTypeOf<{ 'title[gte]': 'a'; 'title[in]': 'a,b'; sort: 'title,-createdAt' }>().toExtend<Query>()
    expectTypeOf<{ sort: 'done' }>().not.toExtend<Query>()
    expectTypeOf<{ done: 'yes' }>().not.toExtend<Query>()
    expectTypeOf<Query>().not.toHaveProperty('notes')
  })

  it('assigns by a user who is there where access has a rule, and by nobody perhaps where it is public', () => {
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

  it('refuses fields that there are not, and a resource without access', () => {
    const store = memoryStore()
    expectTypeOf(createResource).toBeFunction()
    // @ts-expect-error -- there is no such field
    createResource('notes', { schema, store, access: 'public', filter: ['nope'] })
    // @ts-expect-error -- there is no such field
    createResource('notes', { schema, store, access: 'public', sort: ['nope'] })
    // @ts-expect-error -- who may do what?
    createResource('notes', { schema, store })
    // @ts-expect-error -- versions are v1, v2 …
    createRouter().resource('1', tasks)
  })
})
