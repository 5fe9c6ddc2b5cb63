/** What a stranger's generator makes of the document: compiles against its types, and calls the server with them. */
import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from '../.cache/api.d.ts'

const [baseUrl = ''] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl, querySerializer: { array: { style: 'form', explode: false } } })

const created = await client.POST('/api/v1/tasks', {
  body: { title: 'Paint', priority: 4, labels: ['garden'], place: { street: 'Main Street 1' } },
  params: { header: { 'Idempotency-Key': 'client-1' } },
})
assert.equal(created.response.status, 201)
assert(created.data)
const task: components['schemas']['Task'] = created.data
const { id } = task
const etag = created.response.headers.get('etag') ?? ''
assert.equal(created.response.headers.get('location'), `/api/v1/tasks/${id}`)
// What has no value is null, and there is nothing that may be missing.
const notes: string | null = task.notes
assert.equal(notes, null)
assert.equal(task.place?.street, 'Main Street 1')

const page = await client.GET('/api/v1/tasks', {
  params: { query: { limit: 5, sort: '-id', 'priority[gte]': 4, 'status[in]': ['open', 'active'], isUrgent: false } },
})
assert.equal(page.data?.data[0]?.id, id)
assert.equal(page.data.pagination.limit, 5)

const replaced = await client.PUT('/api/v1/tasks/{id}', {
  params: { path: { id }, header: { 'If-Match': etag } },
  body: { ...task, title: 'Paint again' },
})
assert.equal(replaced.data?.title, 'Paint again')

const late = await client.PATCH('/api/v1/tasks/{id}', {
  params: { path: { id }, header: { 'If-Match': etag } },
  body: { isUrgent: true },
})
assert.equal(late.response.status, 412)
assert.equal(late.error?.error.code, 'PRECONDITION_FAILED')

const patched = await client.PATCH('/api/v1/tasks/{id}', {
  params: { path: { id } },
  headers: { 'content-type': 'application/merge-patch+json' },
  body: { place: null, labels: [] },
})
assert.equal(patched.data?.place, null)

const removed = await client.DELETE('/api/v1/tasks/{id}', { params: { path: { id } } })
assert.equal(removed.data?.id, id)
const gone = await client.GET('/api/v1/tasks/{id}', { params: { path: { id } } })
assert.equal(gone.error?.error.code, 'NOT_FOUND')

/** Never called: the compiler must refuse each of these. */
export async function mistakes(): Promise<void> {
  // @ts-expect-error the title is required
  await client.POST('/api/v1/tasks', { body: { priority: 1 } })
  // @ts-expect-error there is no such status
  await client.POST('/api/v1/tasks', { body: { title: 'a', status: 'late' } })
  // @ts-expect-error bodies are closed
  const body: components['schemas']['TaskCreateInput'] = { title: 'a', nope: 1 }
  await client.POST('/api/v1/tasks', { body })
  // @ts-expect-error lists have no such parameter
  await client.GET('/api/v1/tasks', { params: { query: { nope: 1 } } })
  // @ts-expect-error this resource demands If-Match
  await client.DELETE('/api/v1/projects/{id}', { params: { path: { id: 1 } } })
}
