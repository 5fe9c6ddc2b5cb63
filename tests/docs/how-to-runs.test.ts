import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { writePage } from './write-page.ts'

describe('docs/how-to/durable-runs.md', () => {
  let app: TestApp
  const sent: string[] = []
  beforeAll(async () => {
    vi.stubGlobal('fetch', async (url: string, { body = '' }: { body?: string } = {}) => {
      sent.push(`${url} ${body}`)
      return new Response('blue light scatters')
    })
    app = await testApp((await writePage('docs/how-to/durable-runs.md')).path)
  }, 120_000)
  afterAll(async () => {
    vi.unstubAllGlobals()
    await app?.close()
  })

  it('shows a long answer', async () => {
    const chunks = await app.agent('answer').collect({ question: 'Why?' })
    expect((chunks as { text: string }[]).map(({ text }) => text).join('')).toBe('Why? blue light scatters ')
  })

  it('shows a reply that is sent, discarded, or forgotten for three days', async () => {
    const input = { to: 'ada@example.com', message: 'Hello' }
    const run = await app.runs.start('reply', input)
    expect(run.waiting).toMatchObject({ event: 'decision', ask: { to: input.to, draft: expect.any(String) } })
    sent.length = 0
    const text = 'Hello, Ada'
    expect(await app.runs.send(run, 'decision', { ok: true, text })).toMatchObject({ output: { isSent: true } })
    expect(sent).toEqual([`https://mail.example.com/send {"to":"ada@example.com","text":"${text}"}`])
    const second = await app.runs.start('reply', input)
    expect(await app.runs.send(second, 'decision', { ok: false, text: '' })).toMatchObject({
      output: { isSent: false },
    })
    const third = await app.runs.start('reply', input)
    await app.runs.advance('3d')
    expect(await app.runs.get(third)).toMatchObject({ status: 'done', output: { isSent: false } })
    expect(sent).toHaveLength(1)
  })
})
