import { hc } from 'hono/client'

const client = hc('/')

export const list = () => client.api.v1.tasks.$get({ query: { done: 'false' } }).then(read)
export const add = () => client.api.v1.tasks.$post({ json: { title: 'Tea' } }).then(read)

async function read(response) {
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`)
  return response.json()
}
