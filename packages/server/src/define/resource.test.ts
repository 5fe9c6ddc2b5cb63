import { compileFile } from '@sdk/test-kit'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createResource } from './resource.ts'
import { appOf } from '../resource/app.test.fixture.ts'
import { memoryStore } from '../resource/memory-store.ts'
import { createApp } from '../app/app.ts'
import { createRouter } from './router.ts'

const rest = { store: memoryStore(), access: 'public' } as const

/** Accepts invalid arguments, like a program without types. */
const create = createResource as unknown as (name: unknown, definition: unknown) => unknown

describe('createResource', () => {
  it('reads the fields of a schema', () => {
    const schema = z.object({
      title: z.string().max(200),
      kind: z.enum(['a', 'bcd']),
      count: z.int().default(3),
      ratio: z.number().optional(),
      isDone: z.boolean().nullable(),
      dueAt: z.iso.datetime({ offset: true }),
      dueDate: z.iso.date().nullish(),
      ref: z.uuid(),
      tags: z.array(z.string()).default([]),
      either: z.union([z.string(), z.number()]),
    })
    expect(createResource('tasks', { schema, ...rest }).shape.fields).toEqual([
      { name: 'title', type: 'string', isNullable: false, maxLength: 200 },
      { name: 'kind', type: 'string', isNullable: false, maxLength: 3 },
      { name: 'count', type: 'integer', isNullable: false, default: 3 },
      { name: 'ratio', type: 'number', isNullable: true },
      { name: 'isDone', type: 'boolean', isNullable: true },
      { name: 'dueAt', type: 'timestamp', isNullable: false },
      { name: 'dueDate', type: 'date', isNullable: true },
      { name: 'ref', type: 'string', isNullable: false, maxLength: 36 },
      { name: 'tags', type: 'json', isNullable: false, default: [] },
      { name: 'either', type: 'json', isNullable: false },
    ])
  })

  it('reads the fields of schemas of other libraries', () => {
    const fields = [
      { name: 'title', type: 'string', isNullable: false, maxLength: 20 },
      { name: 'notes', type: 'string', isNullable: true },
    ]
    const valibot = toStandardJsonSchema(
      v.object({ title: v.pipe(v.string(), v.maxLength(20)), notes: v.nullable(v.string()) }),
    )
    const arktype = type({ title: 'string <= 20', notes: 'string | null' })
    expect(createResource('tasks', { schema: valibot, ...rest }).shape.fields).toEqual(fields)
    const { shape } = createResource('tasks', { schema: arktype, ...rest })
    expect(shape.fields.toSorted((one, other) => other.name.localeCompare(one.name))).toEqual(fields)
  })

  const schema = z.object({ title: z.string(), tags: z.array(z.string()), q: z.string() })
  it.each([
    [
      'a name that is not in camelCase',
      'My Tasks',
      { schema, ...rest },
      'a camelCase plural noun, like "tasks", got "My Tasks"',
    ],
    ['no schema', 'tasks', rest, 'resource "tasks": schema must be a Standard Schema'],
    ['a schema that is not an object', 'tasks', { schema: z.string(), ...rest }, 'must be an object with known fields'],
    [
      'a schema without a JSON Schema',
      'tasks',
      { schema: { '~standard': { validate: () => ({}) } }, ...rest },
      'JSON Schema',
    ],
    ['no store', 'tasks', { schema, access: 'public' }, "store must be table('…')"],
    ['no access', 'tasks', { schema, store: memoryStore() }, "access must be 'public', or a function"],
    [
      'a filter by an unknown field',
      'tasks',
      { schema, ...rest, filter: ['x'] },
      'which is not a field: use title, tags, q, id',
    ],
    ['a filter by an array', 'tasks', { schema, ...rest, filter: ['tags'] }, 'not a string, number or boolean'],
    [
      'a filter named like a list parameter',
      'tasks',
      { schema, ...rest, filter: ['q'] },
      'a query parameter of every list',
    ],
    ['a sort by unlimited strings', 'tasks', { schema, ...rest, sort: ['title'] }, 'limit them to 255 characters'],
    [
      'a field that the resource sets',
      'tasks',
      { schema: z.object({ id: z.int() }), ...rest },
      'field id is set by the resource',
    ],
    [
      'a field in snake_case',
      'tasks',
      { schema: z.object({ due_at: z.string() }), ...rest },
      '"due_at" must be in camelCase',
    ],
    ['a unique group with an unknown field', 'tasks', { schema, ...rest, unique: [['title', 'x']] }, 'contains "x"'],
    ['a unique createdAt', 'tasks', { schema, ...rest, unique: ['createdAt'] }, 'contains "createdAt"'],
    ['a unique array', 'tasks', { schema, ...rest, unique: [['title', 'tags']] }, 'not a string, number or boolean'],
    ['a key with an unknown field', 'tasks', { schema, ...rest, key: 'x' }, 'key contains "x"'],
    ['an empty key', 'tasks', { schema, ...rest, key: [] }, 'key contains []'],
    ['an empty unique group', 'tasks', { schema, ...rest, unique: [[]] }, 'unique contains []'],
    ['a unique group with a duplicate', 'tasks', { schema, ...rest, unique: [['q', 'q']] }, 'unique contains [q, q]'],
    ['an invalid ifMatch', 'tasks', { schema, ...rest, ifMatch: true }, "ifMatch must be 'optional' or 'required'"],
  ])('throws for %s', (_, name, definition, message) => {
    expect(() => create(name, definition)).toThrow(message)
  })
})

describe('key', () => {
  it('adds a unique group, once', () => {
    const schema = z.object({ slug: z.string(), articleId: z.int() })
    const byOne = createResource('notes', { schema, ...rest, unique: ['slug'], key: 'slug' })
    expect(byOne.shape.unique).toEqual([['slug']])
    const byTwo = createResource('notes', { schema, ...rest, unique: ['slug'], key: ['articleId', 'slug'] })
    expect(byTwo.shape.unique).toEqual([['slug'], ['articleId', 'slug']])
  })

  it('adds routes for the actions that the store supports', () => {
    const schema = z.object({ slug: z.string(), articleId: z.int() })
    const { list, get } = memoryStore()({} as never)
    const routesOf = (store: object): string[] => {
      const notes = createResource('notes', { schema, ...rest, store, key: ['articleId', 'slug'] } as never)
      const { routes } = createApp({ router: createRouter().resource('v1', notes as never) })
      return routes.map(({ route }) => route).filter((route) => route.includes('by-'))
    }
    const path = '/api/v1/notes/by-article-id-slug/:articleId/:slug'
    expect(routesOf({ list, get })).toEqual([`GET ${path}`])
    expect(routesOf({ get })).toEqual([])
  })
})

describe('unique', () => {
  const notes = z.object({ title: z.string(), code: z.int() })
  const assign = () => ({ ownerId: 7 })

  it('accepts groups of fields of the schema or of assign and removes duplicates', () => {
    const unique = ['title', ['title', 'code'], ['ownerId', 'code'], ['title'], ['ownerId']] as const
    const { shape } = createResource('notes', { schema: notes, ...rest, assign, unique })
    expect(shape.unique).toEqual([['title'], ['title', 'code'], ['ownerId', 'code'], ['ownerId']])
  })

  it('does not name the field in the error if only assign sets it', async () => {
    const send = appOf(createResource('notes', { schema: notes, ...rest, assign, unique: [['ownerId']] }))
    const make = () => send('POST /notes', { as: 'ada', body: { title: 'a', code: 1 } })
    expect((await make()).status).toBe(201)
    const error = { code: 'CONFLICT', message: 'another row has the same values', details: [{ code: 'NOT_UNIQUE' }] }
    expect((await make()).body).toMatchObject({ error })
  })

  it('fails with 500 on the first row if neither the schema nor assign sets a field', async () => {
    const lines: string[] = []
    const definition = { schema: notes, ...rest, assign, unique: [['ownerld', 'code']] }
    const send = appOf(create('notes', definition) as never, {}, lines)
    expect((await send('POST /notes', { as: 'ada', body: { title: 'a', code: 1 } })).status).toBe(500)
    expect(lines[0]).toContain('unique contains ownerld, but neither the schema nor assign provides a value')
  })
})

describe('.resource', () => {
  const tasks = createResource('tasks', { schema: z.object({ title: z.string() }), ...rest })

  it('throws for an invalid version or resource, and if it is mounted elsewhere', () => {
    expect(() => createRouter().resource('v0', tasks)).toThrow('and so on, got "v0"')
    expect(() => createRouter().resource('v1', {} as never)).toThrow('expects a resource created with createResource')
    const inner = createRouter().resource('v1', tasks)
    expect(() => createRouter().mount('/x', inner)).toThrow('/api/v1/tasks cannot be mounted')
  })

  it('throws for a sunset without deprecation or too soon, and for malformed values', () => {
    const add = (options: object) => () => createRouter().resource('v1', tasks, options)
    expect(add({ sunset: '2027-01-01' })).toThrow('deprecated is required')
    expect(add({ deprecated: '2026-07-01', sunset: '2026-12-01' })).toThrow('at least six months')
    expect(add({ deprecated: 'soon' })).toThrow('deprecated must be a date, got "soon"')
    expect(add({ deprecated: '2026-07-01', successor: 'x>' })).toThrow('must each be a path or a URL, got "x>"')
  })
})

describe('an item of a resource', () => {
  it('has readable types in errors', async () => {
    const output = await compileFile(new URL('resource-items.test.fixture.ts', import.meta.url))
    expect(output.match(/error/g)).toHaveLength(1)
    expect(output).toContain(`Type 'string | null' is not assignable to type 'number'`)
  })
})
