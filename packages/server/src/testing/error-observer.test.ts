import { describe, expect, it } from 'vitest'
import { ApiError, createAgent, createApp, createLog, createRouter } from '../index.ts'
import { testApp } from '../testing.ts'

describe('testApp', () => {
  it('rejects with the cause of a 500, also in a stream and in a nested agent', async () => {
    const fault = new Error('the table is not there')
    const inner = createAgent('inner', {
      handler: () => {
        throw fault
      },
    })
    const chunks = createAgent('chunks', {
      async *handler() {
        yield 1
        throw fault
      },
    })
    const outer = createAgent('outer', { handler: (ctx) => ctx.call(inner, null) })
    const refused = createRouter().on('GET /api/refused', () => {
      throw new ApiError('NOT_FOUND', 'it is not there')
    })
    const log = createLog({ write() {} })
    const failing = await testApp(createApp({ agents: [inner, outer, chunks], router: refused, log }))
    for (const name of ['inner', 'outer', 'chunks'])
      await expect(failing.agent(name).call(null)).rejects.toMatchObject({
        code: 'INTERNAL_SERVER_ERROR',
        cause: fault,
      })
    await expect(failing.agent('chunks').collect(null)).rejects.toMatchObject({ cause: fault })
    const error: unknown = await failing.call('GET /api/refused').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'NOT_FOUND' })
    expect(error).not.toHaveProperty('cause')
    await failing.close()
  })
})
