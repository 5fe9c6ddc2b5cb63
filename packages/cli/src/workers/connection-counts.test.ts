import { describe, expect, it } from 'vitest'
import { createConnectionCounts } from './connection-counts.ts'
import type { WorkerCommand } from './worker-messages.ts'

function createWorkers() {
  const workers = [1, 2, 3].map((number) => {
    const counts = new Map<string, number>()
    const send = (command: WorkerCommand): void => {
      if (command.sdk === 'connections') counts.set(command.key, command.count)
    }
    return { number, counts, send }
  })
  return { workers, counts: createConnectionCounts(() => workers.slice(0, 2)) }
}

describe('createConnectionCounts', () => {
  it('sends each worker the connections of the others', () => {
    const { workers, counts } = createWorkers()
    const [one, two] = workers as [(typeof workers)[0], (typeof workers)[0]]
    counts.add(one, 'ada', 1)
    counts.add(one, 'ada', 1)
    counts.add(two, 'ada', 1)
    expect([one.counts.get('ada'), two.counts.get('ada')]).toEqual([1, 2])
    counts.add(one, 'ada', -1)
    expect(two.counts.get('ada')).toBe(1)
  })

  it('sends all counts to a new worker', () => {
    const { workers, counts } = createWorkers()
    const [one, two, three] = workers as [(typeof workers)[0], (typeof workers)[0], (typeof workers)[0]]
    counts.add(one, 'ada', 1)
    counts.add(two, 'ben', 1)
    counts.sendAll(three)
    expect([...three.counts]).toEqual([
      ['ada', 1],
      ['ben', 1],
    ])
  })

  it('removes the connections of a worker that has exited', () => {
    const { workers, counts } = createWorkers()
    const [one, two] = workers as [(typeof workers)[0], (typeof workers)[0]]
    counts.add(one, 'ada', 1)
    counts.retire(one)
    expect(two.counts.get('ada')).toBe(0)
  })
})
