import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writePage } from './write-page.ts'

let app: TestApp
beforeAll(async () => {
  const project = await writePage('README.md')
  app = await testApp(project.path)
})
afterAll(() => app.close())

describe('README.md', () => {
  it('shows an agent that streams', async () => {
    expect(await app.agent('summarize').collect({ text: 'One. Two.' })).toEqual([
      { sentence: 'One' },
      { sentence: 'Two.' },
    ])
  })

  it('shows tasks that only their owner can read', async () => {
    const ada = app.as({ name: 'Ada' })
    await ada.call('POST /api/v1/tasks', { title: 'Tea' })
    expect(await ada.call('GET /api/v1/tasks', undefined, { query: { done: false } })).toMatchObject({
      data: [{ title: 'Tea', done: false }],
    })
    expect(await app.as({ name: 'Bob' }).call('GET /api/v1/tasks')).toMatchObject({ data: [] })
    await expect(app.call('GET /api/v1/tasks')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('shows a room whose members receive all messages', async () => {
    const [first, second] = [await app.socket('/ws/chat'), await app.socket('/ws/chat')]
    first.send({ text: 'hello' })
    expect(await second.next()).toEqual({ text: 'hello' })
    await first.close()
    await second.close()
  })
})
