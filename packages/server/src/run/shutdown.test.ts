import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAgent, memoryRuns } from '../index.ts'
import { closeAll, ended, gate, open } from './run-app.test.fixture.ts'

afterEach(closeAll)

describe('a shutdown', () => {
  it.each(['before', 'after'])('continues a run elsewhere if the shutdown begins %s it is stored', async (time) => {
    const store = memoryRuns()
    const [reached, continued] = [gate(), gate()]
    const create = store.create.bind(store)
    store.create = async (run) => {
      const early = time === 'after' ? await create(run) : null
      reached.open()
      await continued.opened
      return early ?? create(run)
    }
    const agent = createAgent('quick', { durable: true, handler: (ctx) => ctx.run.attempt })
    const [one, two] = [open([agent], store), open([agent], store)]
    await two.app.ready()
    const response = one.send('POST /agent/quick', { headers: { prefer: 'respond-async' } })
    await reached.opened
    one.app.drain()
    await new Promise((resolve) => setImmediate(resolve))
    continued.open()
    const path = (await response).headers.get('location') ?? ''
    expect(await ended(two, path)).toMatchObject({ status: 'done', output: 2, attempt: 2 })
  })

  it.each([
    ['stores the outcome of a handler that has returned', 100, { output: 1, attempt: 1 }],
    ['continues a run elsewhere if its outcome is not stored within a second', 60_000, { output: 2, attempt: 2 }],
  ])('%s when the shutdown begins', async (_, ms, expected) => {
    const store = memoryRuns()
    const { opened: written, open: begin } = gate()
    const write = store.write.bind(store)
    store.write = async (process, writes) => {
      begin()
      await new Promise((resolve) => setTimeout(resolve, ms).unref())
      store.write = write
      return write(process, writes)
    }
    const agent = createAgent('quick', { durable: true, handler: (ctx) => ctx.run.attempt })
    const [one, two] = [open([agent], store), open([agent], store)]
    await two.app.ready()
    const response = await one.send('POST /agent/quick', { headers: { prefer: 'respond-async' } })
    await written
    const release = vi.spyOn(store, 'release')
    one.app.drain()
    if (ms > 1_000) store.write = write
    const path = response.headers.get('location') ?? ''
    expect(await ended(two, path)).toMatchObject({ status: 'done', ...expected })
    expect(release).toHaveBeenCalledTimes(expected.attempt - 1)
  })
})
