/** The app that the tools judge: resources with every kind of field. Says where it listens. */
import { table } from '@sdk/database'
import { createApp, createResource, createRouter, memoryStore, serve, type StoreSource } from '@sdk/server'
import { z } from 'zod'
import { session } from './session.ts'

/** In the database of `DATABASE_URL`, if there is one. */
function storeOf(name: string): StoreSource {
  return process.env['DATABASE_URL'] === undefined ? memoryStore() : table(name)
}

const tasks = createResource('tasks', {
  description: 'What is to be done',
  schema: z.object({
    title: z.string().min(1).max(200).describe('In a few words'),
    notes: z.string().max(2_000).optional(),
    status: z.enum(['open', 'active', 'done']).default('open'),
    priority: z.int().min(1).max(5).default(3),
    estimate: z.number().min(0).nullable().default(null).describe('In hours'),
    isUrgent: z.boolean().default(false),
    dueDate: z.iso.date().nullable().default(null),
    remindAt: z.iso.datetime({ offset: true }).nullable().default(null),
    labels: z.array(z.string().max(50)).max(20).default([]),
    place: z
      .object({ street: z.string().max(200), city: z.string().max(100).optional() })
      .nullable()
      .default(null),
  }),
  store: storeOf('tasks'),
  access: 'public',
  filter: ['title', 'status', 'priority', 'estimate', 'isUrgent', 'dueDate', 'remindAt'],
  sort: ['title', 'priority', 'dueDate', 'createdAt', 'updatedAt'],
})

const projects = createResource('projects', {
  description: 'What tasks are done for',
  schema: z.object({ name: z.string().min(1).max(100), budget: z.int().min(0).max(1_000_000).default(0) }),
  store: storeOf('projects'),
  access: ({ user }) => user !== null,
  unique: ['name'],
  filter: ['name', 'budget'],
  sort: ['name'],
  ifMatch: 'required',
})

const labels = createResource('labels', {
  description: 'Words to find tasks by',
  schema: z.object({ text: z.string().min(1).max(50), isPinned: z.boolean().default(false) }),
  store: storeOf('labels'),
  access: 'public',
  filter: ['isPinned'],
})

const app = createApp({
  router: createRouter()
    .use('/api/*', session)
    .resource('v1', tasks)
    .resource('v1', projects)
    .resource('v1', labels, { deprecated: '2026-01-01', sunset: '2099-01-01', successor: '/api/v2/labels' })
    .resource('v2', labels),
  // Enough for all the tools in one run.
  rateLimit: { default: { quota: 10_000, window: 60 } },
})

const server = await serve(app, { port: 0 })
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`)
