import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent, createApp, createResource, createRouter, memoryStore } from '../index.ts'

const tasks = createResource('tasks', {
  schema: z.object({ title: z.string().max(99) }),
  store: memoryStore(),
  access: 'public',
})
const app = (isDevelopment: boolean) =>
  createApp({
    isDevelopment,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    agents: [createAgent('summarize', { handler: () => 'ok' })],
    router: createRouter()
      .resource('v1', tasks)
      .on('GET /api/reports/:year', () => 'ok'),
  })
const messageOf = async (line: string, isDevelopment = true): Promise<string> => {
  const [method = '', path = ''] = line.split(' ')
  const response = await app(isDevelopment).fetch(new Request(`http://localhost${path}`, { method }))
  const { error } = (await response.json()) as { error: { message: string } }
  return error.message
}

describe('a 404 message', () => {
  it.each([
    ['POST /agent/sumarize', 'POST /agent/summarize'],
    ['GET /api/v1/task', 'GET /api/v1/tasks'],
    ['GET /api/v1/Tasks', 'GET /api/v1/tasks'],
    ['PATCH /api/v1/tsaks/7', 'PATCH /api/v1/tasks/:id'],
    ['GET /api/v1/tasks/', 'GET /api/v1/tasks'],
    ['GET /api/tasks', 'GET /api/v1/tasks'],
    ['DELETE /tasks/7', 'DELETE /api/v1/tasks/:id'],
    ['POST /summarize', 'POST /agent/summarize'],
    ['GET /api/report/2026', 'GET /api/reports/:year'],
  ])('suggests a route for %s in development', async (line, route) => {
    expect(await messageOf(line)).toBe(`no route matches ${line.split(' ')[1]}: did you mean ${route}?`)
  })

  it.each(['GET /api/elsewhere', `GET /api/v1/${'tasks'.repeat(50)}`])('suggests no route for %s', async (line) => {
    expect(await messageOf(line)).toBe(`no route matches ${line.split(' ')[1]}`)
  })

  it('suggests no route in production', async () => {
    expect(await messageOf('GET /api/v1/task', false)).toBe('no route matches /api/v1/task')
  })
})
