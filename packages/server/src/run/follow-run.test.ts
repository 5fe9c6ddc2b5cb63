import { describe, expect, it } from 'vitest'
import { followRun, keptChunks, type RunEvent } from './follow-run.ts'
import { RunNews } from './run-news.ts'
import type { RunPage, StoredRun } from './run-store.ts'

const RUN: StoredRun = {
  id: 'r',
  agent: 'a',
  userId: null,
  thread: null,
  isStream: true,
  status: 'done',
  epoch: 2,
  chunks: 4,
  retractions: [[2, 2]],
  output: null,
  error: null,
  createdAt: '',
  endedAt: '2026-01-01T00:00:00.000Z',
  isGone: false,
}

async function follow(pages: readonly RunPage[], epoch: number, index: number): Promise<RunEvent[]> {
  const read = async (_id: string, from: number) => ({
    run: RUN,
    pages: pages.filter(({ first, chunks }) => first + chunks.length > from),
  })
  const events: RunEvent[] = []
  for await (const event of followRun({ store: { read }, news: new RunNews() }, 'r', { epoch, index }))
    events.push(event)
  return events
}

describe('followRun', () => {
  // The owner of epoch 1 stored its last page while the takeover was waiting for the lock.
  const pages: RunPage[] = [
    { epoch: 1, first: 0, chunks: ['0', '1', '2'] },
    { epoch: 2, first: 2, chunks: ['new 2', 'new 3'] },
    { epoch: 1, first: 3, chunks: ['late'] },
  ]

  it('skips chunks of an earlier epoch after its retraction, even if they were stored late', async () => {
    expect(await follow(pages, 2, 0)).toMatchObject([
      { kind: 'chunks', chunks: ['0', '1', 'new 2', 'new 3'], position: { epoch: 2, index: 4 } },
      { kind: 'ended' },
    ])
    expect(await follow(pages, 2, 3)).toMatchObject([{ kind: 'chunks', chunks: ['new 3'] }, { kind: 'ended' }])
  })

  it('reports a retraction to a reader that has chunks of an earlier epoch', async () => {
    expect(await follow(pages, 1, 4)).toMatchObject([
      { kind: 'retracted', position: { epoch: 2, index: 2 } },
      { kind: 'chunks', chunks: ['new 2', 'new 3'] },
      { kind: 'ended' },
    ])
  })
})

describe('keptChunks', () => {
  it('returns the least number of chunks that later epochs keep', () => {
    const run = {
      retractions: [
        [2, 10],
        [3, 5],
        [4, 7],
      ] as const,
    }
    expect([1, 2, 3, 4].map((epoch) => keptChunks(run, { epoch, index: 20 }))).toEqual([5, 5, 7, 20])
    expect(keptChunks(run, { epoch: 1, index: 3 })).toBe(3)
  })
})
