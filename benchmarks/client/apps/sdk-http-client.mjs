import { createHttpClient } from '@sdk/frontend'

const client = createHttpClient()

export const list = () => client.call('GET /api/v1/tasks', { query: { done: false } })
export const add = () => client.call('POST /api/v1/tasks', { title: 'Tea' })
