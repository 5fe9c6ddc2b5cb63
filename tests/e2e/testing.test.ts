import { join } from 'node:path'
import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let app: TestApp
beforeAll(async () => {
  app = await testApp(join(import.meta.dirname, '../../examples/tasks'))
})
afterAll(() => app.close())

describe('testApp with examples/tasks', () => {
  it('collects the chunks of an agent that calls another agent as the user', async () => {
    const ada = app.as({ name: 'Ada' })
    await ada.call('POST /api/v1/tasks', { title: 'Tea', priority: 1 })
    const chunks = (await ada.agent('plan').collect({ hours: 2 })) as { kind: string; text: string }[]
    const text = chunks.flatMap((chunk) => (chunk.kind === 'text' ? [chunk.text] : [])).join('')
    expect(text).toBe(
      'Ada, you have 2 hours. Start with “Tea”, while you are fresh.\n\nThat is all for today.\n\nNothing is left over.',
    )
  })

  it('starts with an empty database and acts as users without sign-in', async () => {
    const [grace, alan] = [app.as({ name: 'Grace' }), app.as({ name: 'Alan' })]
    expect(await grace.call('GET /api/v1/tasks')).toMatchObject({ data: [] })
    await grace.call('POST /api/v1/tasks', { title: 'Tea' })
    expect(await grace.call('GET /api/v1/tasks')).toMatchObject({ data: [{ title: 'Tea', done: false, priority: 2 }] })
    expect(await alan.call('GET /api/v1/tasks')).toMatchObject({ data: [] })
    await expect(app.call('GET /api/v1/tasks')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('opens sockets and delivers messages after a reconnect', async () => {
    const [ada, grace] = [
      await app.as({ name: 'Ada' }).socket('/ws/chat'),
      await app.as({ name: 'Grace' }).socket('/ws/chat'),
    ]
    await grace.drop()
    ada.send({ key: 'a-key-of-ada', text: 'hello' })
    const nextMessage = async (): Promise<unknown> => {
      for (;;) {
        const event = (await grace.next()) as { kind: string; message?: unknown }
        if (event.kind === 'message') return event.message
      }
    }
    expect(await nextMessage()).toMatchObject({ name: 'Ada', text: 'hello' })
    await ada.close()
    await grace.close()
  })
})
