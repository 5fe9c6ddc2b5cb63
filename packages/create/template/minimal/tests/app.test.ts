import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { testApp, type TestApp } from '@sdk/server/testing'

let app: TestApp

before(async () => {
  app = await testApp(`${import.meta.dirname}/..`) // the whole project, without a port
})
after(() => app.close())

it('greets word by word', async () => {
  const chunks = await app.agent('greet').collect({ name: 'Ada' })
  assert.deepEqual(chunks.slice(0, 2), [{ word: 'Hello' }, { word: 'Ada,' }])
})

it('rejects an empty name', async () => {
  await assert.rejects(app.agent('greet').call({ name: ' ' }), { code: 'INVALID_REQUEST' })
})
