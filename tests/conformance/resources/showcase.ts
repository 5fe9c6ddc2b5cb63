import {
  createResource,
  type AccessRequest,
  type ResourceShape,
  type Store,
  type StoreSource,
  type Where,
} from '@sdk/server'
import { z } from 'zod'

const Task = z.object({
  title: z.string().min(1).max(200),
  notes: z.string().max(5000).nullable().optional(),
  done: z.boolean().default(false),
  priority: z.int().min(1).max(5).default(3),
  score: z.number().optional(),
  estimate: z.int().nullable().optional(),
  dueAt: z.iso.datetime({ offset: true }).optional(),
  dueDate: z.iso.date().optional(),
  tags: z.array(z.string().max(50)).max(20).default([]),
  meta: z
    .object({
      color: z.string().max(100).optional(),
      size: z.number().optional(),
      inner: z.record(z.string(), z.number()).optional(),
    })
    .nullable()
    .optional(),
})

const Document = z.object({
  slug: z.string().min(1).max(100),
  body: z.string().max(1000).default(''),
  team: z.enum(['red', 'blue']).default('red'),
  code: z.int().nullable().optional(),
})

/** The definition of a task resource, without its store. */
export const TASK_RULES = {
  schema: Task,
  access: 'public',
  filter: ['title', 'notes', 'done', 'priority', 'score', 'estimate', 'dueAt', 'dueDate'],
  sort: ['title', 'done', 'priority', 'score', 'dueAt', 'dueDate', 'createdAt'],
} as const

/** The members of a task in responses. */
export const TASK_MEMBERS = ['id', ...Object.keys(Task.shape), 'createdAt', 'updatedAt'].toSorted()

/** The defaults of a task's fields. */
export const TASK_DEFAULTS = {
  notes: null,
  done: false,
  priority: 3,
  score: null,
  estimate: null,
  dueAt: null,
  dueDate: null,
  tags: [],
  meta: null,
}

/** The changes that were reported, as texts. */
export type Changes = string[]

/** Tasks that everyone may read and change, with a custom name. Each change is recorded. */
export function createTasks<const Name extends string>(name: Name, store: StoreSource, changes: Changes = []) {
  return createResource(name, {
    ...TASK_RULES,
    store,
    on: {
      created(task) {
        changes.push(`created ${task.title}`)
        if (task.title === 'stumbling block') throw new Error('nobody should see this')
      },
      updated: (task, _ctx, before) => void changes.push(`updated ${before.title} to ${task.title}`),
      deleted: (task) => void changes.push(`deleted ${task.title}`),
    },
  })
}

/** Tasks that require `If-Match`. */
export function createDrafts(store: StoreSource) {
  return createResource('drafts', { ...TASK_RULES, store, ifMatch: 'required' })
}

/** Tasks that cannot be changed, because their store does not support it. */
export function createArchives(store: StoreSource) {
  return createResource('archives', { ...TASK_RULES, store: readOnly(store) })
}

function readOnly(source: StoreSource): (shape: ResourceShape) => Store {
  return (shape) => {
    const { list, get, ready } = typeof source === 'function' ? source(shape) : source
    if (list === undefined || get === undefined) throw new TypeError('a store reads')
    return { list, get, ...(ready && { ready }) }
  }
}

/**
 * Documents belong to their creator. Some users are special: `root` may do everything, `mute` nothing, `reader` only
 * reads, `shredder` and `janitor` delete rows that they cannot read, `red` is in a team and sees its rows, `pair` is
 * two owners, `nobodys` none, `plain` sees rows without a code; and for `crash` the rule itself throws.
 */
export function createDocuments(store: StoreSource) {
  return createResource('documents', {
    schema: Document,
    store,
    access: async (call) => mayDo(call),
    assign: ({ user }) => ({ ownerId: user.id }),
    filter: ['slug', 'team'],
    sort: ['slug'],
    unique: ['slug', 'code'],
  })
}

/** Documents with the key `slug`, and the access rules of documents. */
export function createPages(store: StoreSource) {
  return createResource('pages', {
    schema: Document,
    store,
    access: async (call) => mayDo(call),
    assign: ({ user }) => ({ ownerId: user.id }),
    key: 'slug',
  })
}

/** Members with a key of which `assign` sets a part: each owner has each seat once. */
export function createSeats(store: StoreSource) {
  return createResource('seats', {
    schema: z.object({ person: z.string(), team: z.string().max(50).default(''), seat: z.int() }),
    store,
    access: ({ user }) => (user ? { ownerId: user.id } : false),
    assign: ({ user }) => ({ ownerId: user.id }),
    key: ['ownerId', 'seat'],
    ifMatch: 'required',
  })
}

/** Members of teams: one per person and team, and each owner has each seat once. */
export function createMembers(store: StoreSource) {
  return createResource('members', {
    schema: z.object({ person: z.string(), team: z.string().max(50), seat: z.int().nullable().optional() }),
    store,
    access: ({ user }) => (user ? { ownerId: user.id } : false),
    assign: ({ user }) => ({ ownerId: user.id }),
    unique: [
      ['person', 'team'],
      ['ownerId', 'seat'],
    ],
  })
}

/** Letters of which everyone may change everything except the author, who comes from the body. */
export function createLetters(store: StoreSource) {
  return createResource('letters', {
    schema: Document,
    store,
    access: ({ user }) => user !== null,
    assign: ({ user }) => ({ body: `by ${user.id}` }),
  })
}

function mayDo({ user, action }: AccessRequest): boolean | Where {
  if (user === null || user.id === 'mute') return false
  if (user.id === 'root') return true
  if (user.id === 'shredder') return action === 'delete'
  if (user.id === 'reader') return action === 'list' || action === 'get'
  if (user.id === 'red') return { team: 'red' }
  if (user.id === 'janitor' && action === 'delete') return true
  if (user.id === 'crash') throw new Error('the password is swordfish')
  if (user.id === 'nobodys') return { ownerId: [] }
  if (user.id === 'plain') return { code: null, ownerId: ['ada', 'plain'] }
  if (user.id === 'pair') return { ownerId: ['ada', 'bob'] }
  return { ownerId: user.id }
}
