import type { TemporaryFolder } from '@sdk/test-kit'
import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writePage } from './write-page.ts'

describe('docs/guide/from-agentuity.md', () => {
  let project: TemporaryFolder
  let app: TestApp

  beforeAll(async () => {
    project = await writePage('docs/guide/from-agentuity.md')
    app = await testApp(project.path)
  })
  afterAll(async () => {
    await app?.close()
    project?.remove()
  })

  it('counts concurrent visits', async () => {
    const greet = (): Promise<unknown> => app.agent('greet').call({ name: 'Ada' })
    const responses = await Promise.all([greet(), greet()])
    expect(responses).toEqual([{ text: 'Hello, Ada! Visits: 1' }, { text: 'Hello, Ada! Visits: 2' }])
  })

  it('has a route, a stream and a socket', async () => {
    expect(await app.call('GET /api/version')).toEqual({ version: 1 })
    expect(await app.call('GET /api/count')).toEqual([{ n: 1 }])
    const socket = await app.socket('/ws/echo')
    socket.send('hello')
    expect(await socket.next()).toBe('hello')
    await socket.close()
  })

  it('keeps the routes of the template', async () => {
    expect(await app.call('GET /api/status')).toMatchObject({ status: 'ok' })
    await expect(app.call('GET /api/v1/notes')).rejects.toMatchObject({ status: 401 })
  })

  it('rejects unknown fields', async () => {
    await expect(app.agent('greet').call({ name: 'Ada', age: 36 })).rejects.toMatchObject({ status: 400 })
  })
})
