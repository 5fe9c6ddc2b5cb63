import { expect, it } from 'vitest'
import { createApp } from '../app/app.ts'
import { createRouter } from '../define/router.ts'
import { JsonText } from './json-text.ts'

const router = createRouter()
  .on('GET /api/whole', () => new JsonText('{ "a": 1 }'))
  .on('GET /api/part', () => ({ part: new JsonText('{ "a": 1 }') }))
const app = createApp({ router })

it.each([
  ['unchanged as a result', 'whole', '{ "a": 1 }'],
  ['as its value in a result', 'part', '{"part":{"a":1}}'],
])('is sent %s', async (_case, path, text) => {
  const response = await app.fetch(new Request(`http://localhost/api/${path}`))
  expect([response.headers.get('content-type'), await response.text()]).toEqual(['application/json', text])
})
