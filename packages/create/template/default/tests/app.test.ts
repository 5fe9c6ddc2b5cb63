import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { testApp, type TestApp } from '@sdk/server/testing'

let app: TestApp

before(async () => {
  app = await testApp(`${import.meta.dirname}/..`) // the whole project, on an empty in-memory database
})
after(() => app.close())

it('plans step by step', async () => {
  const chunks = await app.agent('plan').collect({ goal: 'Learn to sail' })
  assert.equal(chunks.length, 4)
  assert.match(JSON.stringify(chunks[0]), /Learn to sail/)
})

it('shows users only their own notes', async () => {
  const [ada, alan] = [app.as({ name: 'Ada' }), app.as({ name: 'Alan' })]
  await ada.call('POST /api/v1/notes', { text: 'Tea at five' })
  assert.match(JSON.stringify(await ada.call('GET /api/v1/notes')), /Tea at five/)
  assert.doesNotMatch(JSON.stringify(await alan.call('GET /api/v1/notes')), /Tea at five/)
  await assert.rejects(app.call('GET /api/v1/notes'), { code: 'UNAUTHORIZED' })
})

it('sends messages to everyone in the room', async () => {
  const [ada, guest] = [await app.as({ name: 'Ada' }).socket('/ws/chat'), await app.socket('/ws/chat')]
  ada.send({ text: 'hello' })
  assert.deepEqual(await guest.next(), { from: 'Ada', text: 'hello' })
  await Promise.all([ada.close(), guest.close()])
})
