import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { testApp, type TestApp } from '@sdk/server/testing'

let app: TestApp

before(async () => {
  app = await testApp(`${import.meta.dirname}/..`) // the whole project, on an empty in-memory database
})
after(() => app.close())

it('summarizes sentence by sentence', async () => {
  const chunks = await app.agent('summarize').collect({ text: 'One. Two.' })
  assert.deepEqual(chunks, [{ sentence: 'One.' }, { sentence: 'Two.' }])
})

it('stores tasks', async () => {
  await app.call('POST /api/v1/tasks', { title: 'Tea' })
  const { data } = await app.call('GET /api/v1/tasks', { query: { done: false } })
  assert.equal(data[0]?.title, 'Tea')
})
