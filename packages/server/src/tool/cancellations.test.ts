import { expect, it } from 'vitest'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createLog } from '../log/log.ts'
import { createCancellations, getCancellations } from './cancellations.ts'

const silent = createLog({ write: () => {} })

it('cancels a call in another process until it has ended', async () => {
  const engine = memoryEngine()
  const [here, there] = [createCancellations(engine, silent), createCancellations(engine, silent)]
  const [ended, call] = [here.open('ended'), here.open('call')]
  ended.end()
  there.cancel('ended')
  there.cancel('call')
  await expect.poll(() => call.signal.aborted).toBe(true)
  expect(ended.signal.aborted).toBe(false)
  here.close()
  there.close()
  await engine.close()
})

it('keeps the newer call if an older one with the same key ends', () => {
  const calls = createCancellations(memoryEngine(), silent)
  const [older, newer] = [calls.open('call'), calls.open('call')]
  older.end()
  calls.cancel('call')
  expect([older.signal.aborted, newer.signal.aborted]).toEqual([false, true])
  calls.close()
})

it('forgets calls that were cancelled, and the oldest of too many', async () => {
  const published: string[] = []
  const engine = memoryEngine()
  await engine.subscribe('sdk:cancelled', ({ data }) => published.push(data))
  const calls = createCancellations(engine, silent)
  const oldest = calls.open('oldest')
  for (let index = 0; index < 10_000; index++) calls.open(String(index))
  // Only calls that are not known in this process are published.
  for (const key of ['oldest', '0', '0']) calls.cancel(key)
  await expect.poll(() => published).toEqual(['oldest', '0'])
  expect(oldest.signal.aborted).toBe(false)
  calls.close()
  await engine.close()
})

it('cancels calls of its own process while the engine is unavailable', async () => {
  const lines: string[] = []
  let isUp = false
  const engine = memoryEngine()
  const calls = createCancellations(
    {
      ...engine,
      subscribe: (...args) => (isUp ? engine.subscribe(...args) : Promise.reject(new Error('down'))),
      publish: (...args) => (isUp ? engine.publish(...args) : Promise.reject(new Error('down'))),
    },
    createLog({ write: (line) => lines.push(line) }),
  )
  const call = calls.open('call')
  calls.cancel('call')
  expect(call.signal.aborted).toBe(true)
  calls.cancel('unknown')
  await expect.poll(() => lines.length).toBe(2)
  isUp = true
  const later = calls.open('later')
  await expect
    .poll(async () => {
      await engine.publish('sdk:cancelled', 'later')
      return later.signal.aborted
    })
    .toBe(true)
  calls.close()
})

it('rejects a context that is not from a handler', () => {
  expect(() => getCancellations({} as never)).toThrow('must be called with the context that a handler receives')
})
