import { describe, expect, it } from 'vitest'
import { ModelRecordings } from './model-recordings.ts'
import { createRedactor } from './redact.ts'
import { TextBudget } from './stored-text.ts'

function open(hasSteps = true): ModelRecordings {
  const budget = new TextBudget({ size: 0 })
  const deps = { budget, at: () => 0, toError: () => ({}) as never, resume() {}, changed() {} }
  return new ModelRecordings(deps, { hasSteps })
}

async function record(recordings: ModelRecordings, body: string, response: Response): Promise<void> {
  const headers = { authorization: 'Bearer a-secret-of-the-tests' }
  recordings.open(new Request('https://model.example/v1/chat', { method: 'POST', headers, body }))?.(response)
  await recordings.settle()
}

describe('ModelRecordings', () => {
  it('records requests and responses as testApp does, without headers', async () => {
    const recordings = open()
    await record(recordings, '{"prompt":"Tea?"}', Response.json({ text: 'Yes' }))
    const [one, ...others] = recordings.toRecordings(createRedactor())
    expect(others).toEqual([])
    expect(one?.file).toMatch(/^model\.example-chat-[0-9a-f]{16}\.json$/)
    expect(JSON.parse(one?.json.text ?? '')).toEqual({
      method: 'POST',
      host: 'model.example',
      path: '/v1/chat',
      body: { prompt: 'Tea?' },
      status: 200,
      type: 'application/json',
      chunks: [{ text: 'Yes' }],
    })
  })

  it.each([429, 503])('does not record a response with the status %i, which is retried', async (status) => {
    const recordings = open()
    await record(recordings, '{}', new Response('', { status }))
    expect(recordings.toRecordings(createRedactor())).toEqual([])
  })

  it('stores nothing if the run has not called a model', async () => {
    const recordings = open(false)
    await record(recordings, '{}', Response.json({}))
    expect(recordings.toRecordings(createRedactor())).toEqual([])
  })

  it('cuts recordings that are too large, and those with values that must not be stored', async () => {
    const recordings = open()
    await record(recordings, '{"field-of-ours":"a value to hide"}', Response.json({}))
    await record(recordings, '{}', new Response('x'.repeat(400_000)))
    const cut = recordings.toRecordings(createRedactor(['field-of-ours'])).map(({ json }) => [json.isCut, json.text])
    expect(cut).toEqual([
      [true, ''],
      [true, ''],
    ])
  })
})
