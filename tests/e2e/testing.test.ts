import { join } from 'node:path'
import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let app: TestApp
beforeAll(async () => {
  app = await testApp(join(import.meta.dirname, '../../examples/tasks'))
})
afterAll(() => app.close())

describe('testApp, on the showcase', () => {
  it('collects the chunks of an agent', async () => {
    const chunks = await app.agent('summarize').collect({ text: 'One. Two.' })
    expect(chunks).toEqual([{ sentence: 'One.' }, { sentence: 'Two.' }])
  })

  it('has an empty database, and users who need not sign in', async () => {
    expect(await app.call('GET /api/v1/tasks')).toMatchObject({ data: [] })
    await app.as({ name: 'Ada' }).call('POST /api/v1/tasks', { title: 'Tea' })
    expect(await app.call('GET /api/v1/tasks')).toMatchObject({ data: [{ title: 'Tea', author: 'Ada' }] })
  })

  it('joins sockets, and those who come back', async () => {
    const [ada, guest] = [await app.as({ name: 'Ada' }).socket('/ws/chat'), await app.socket('/ws/chat')]
    await guest.drop()
    ada.send({ text: 'hello' })
    expect(await guest.next()).toEqual({ from: 'Ada', text: 'hello' })
    await ada.close()
    await guest.close()
  })
})
