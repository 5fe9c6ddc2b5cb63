import { describe, expect, it } from 'vitest'
import { ApiError, createAgent, createApp, createRouter } from './index.ts'
import { testApp } from './testing.ts'

const app = testApp(
  createApp({
    agents: [
      createAgent('count', {
        async *handler(_ctx, to: number) {
          for (let n = 1; n <= to; n++) yield n
          if (to > 2) throw new ApiError('CONFLICT', 'too far')
        },
      }),
    ],
    router: createRouter().on('PUT /api/notes/:id', (ctx, input) => ({
      id: ctx.params.id,
      draft: ctx.query['draft'],
      input,
    })),
  }),
)

describe('testApp', () => {
  it('collects the chunks of an agent', async () => {
    expect(await app.agent('count').collect(2)).toEqual([1, 2])
  })

  it('rejects with the error of a stream and of a call', async () => {
    await expect(app.agent('count').collect(3)).rejects.toMatchObject({ code: 'CONFLICT', message: 'too far' })
    await expect(app.call('GET /api/nothing')).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
  })

  it('fills params and query', async () => {
    const answer = await app.call(
      'PUT /api/notes/:id',
      { text: 'x' },
      { params: { id: 'a b' }, query: { draft: true } },
    )
    expect(answer).toEqual({ id: 'a b', draft: 'true', input: { text: 'x' } })
  })
})
