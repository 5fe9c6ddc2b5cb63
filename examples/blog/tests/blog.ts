import '@sdk/server/testing' // first, since it selects an empty database in memory
import assert from 'node:assert/strict'
import { createApp, createLog } from '@sdk/server'
import router from '../src/api/index.ts'
import formatError from '../src/format-error.ts'

const app = createApp({ router, formatError, rateLimit: false, log: createLog({ level: 'error' }) })
await app.ready()

export const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The body of a response. Its members are checked by the tests. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read members that the assertions check
export type Json = any

/** Sends a request and returns the status and the body. */
export async function send(route: string, body?: unknown, token?: string): Promise<[number, Json]> {
  const [method = '', path = ''] = route.split(' ')
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Token ${token}` }),
  }
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const response = await app.fetch(new Request(`http://blog.test${path}`, init))
  const text = await response.text()
  return [response.status, text === '' ? null : JSON.parse(text)]
}

/** Sends a request and returns the body. Fails unless the status is 2xx. */
export async function ask(route: string, body?: unknown, token?: string): Promise<Json> {
  const [status, answer] = await send(route, body, token)
  assert.ok(status >= 200 && status < 300, `${route}: ${status} ${JSON.stringify(answer)}`)
  return answer
}

/** Asserts that a request is rejected with this status and these messages. */
export async function rejects(status: number, messages: readonly string[], ...request: Parameters<typeof send>) {
  assert.deepEqual(await send(...request), [status, { errors: { body: messages } }])
}

/** Creates a user and returns the token. */
export async function register(username: string): Promise<string> {
  const user = { username, email: `${username}@example.com`, password: 'correct horse' }
  return (await ask('POST /api/users', { user })).user.token
}

/** Publishes an article and returns it. */
export async function publish(token: string, title: string, tagList: readonly string[] = []): Promise<Json> {
  const article = { title, description: `About ${title}`, body: `All of ${title}`, tagList }
  return (await ask('POST /api/articles', { article }, token)).article
}

export const close = (): Promise<void> => app.close()
