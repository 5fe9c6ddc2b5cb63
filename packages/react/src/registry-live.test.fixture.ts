/** Live data with a filled registry, which registry.test.ts compiles as a separate program. */
import { createClient } from '@sdk/frontend'
import type { HasTypes, Page } from '@sdk/protocol'
import { useAPI, usePages } from '@sdk/react'
import { expectTypeOf } from 'vitest'

interface Task {
  id: number
  title: string
}

interface TaskRead<Output> {
  input: undefined
  output: Output
  stream: false
  query: { done?: boolean }
  item: Task
  related: { owner: { name: string } | null }
}

declare module '@sdk/protocol' {
  interface Routes {
    'GET /api/v1/tasks': HasTypes<TaskRead<Page<Task>>>
    'GET /api/v1/tasks/:id': HasTypes<TaskRead<Task>>
    'POST /api/v1/tasks': HasTypes<{ input: { title: string }; output: Task; stream: false; query: unknown }>
  }
}

export function useLiveTasks(): void {
  const tasks = useAPI('GET /api/v1/tasks', { query: { done: false }, live: true })
  expectTypeOf(tasks.isLive).toBeBoolean()
  expectTypeOf(tasks.data).toEqualTypeOf<Page<Task> | undefined>()
  expectTypeOf(usePages('GET /api/v1/tasks', { live: true }).isLive).toBeBoolean()
  // @ts-expect-error -- an option of GET routes
  useAPI('POST /api/v1/tasks', { live: true })
}

export async function watchTasks(signal: AbortSignal): Promise<void> {
  const client = createClient()
  for await (const page of client.watch('GET /api/v1/tasks', { query: { done: false } }, { signal }))
    expectTypeOf(page).toEqualTypeOf<Page<Task>>()
  for await (const { data } of client.watch('GET /api/v1/tasks', { query: { expand: ['owner'] } }))
    expectTypeOf(data[0]?.owner?.name).toEqualTypeOf<string | undefined>()
  for await (const task of client.watch('GET /api/v1/tasks/:id', { params: { id: 7 } }))
    expectTypeOf(task).toEqualTypeOf<Task>()
  client.watch('GET /api/v1/tasks')
  // @ts-expect-error -- without params
  client.watch('GET /api/v1/tasks/:id')
  // @ts-expect-error -- the query has no such member
  client.watch('GET /api/v1/tasks', { query: { nope: 1 } })
  // @ts-expect-error -- only GET routes can be watched
  client.watch('POST /api/v1/tasks')
}
