import { describe, expect, it } from 'vitest'
import type { ReplyStream } from '../http/reply-stream.ts'
import { followRun, keptChunks, StreamCut, type RunEvent } from './follow-run.ts'
import { RunNews } from './run-news.ts'
import { toStreamReply } from './run-reply.ts'
import type { RunPage, StoredRun } from './store/run-store.ts'

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
  waiting: null,
  createdAt: '',
  endedAt: '2026-01-01T00:00:00.000Z',
  isGone: false,
  input: null,
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

  it('reports a new epoch to a reader that keeps all of its chunks', async () => {
    expect(await follow(pages, 1, 2)).toMatchObject([
      { kind: 'moved', position: { epoch: 2, index: 2 } },
      { kind: 'chunks', chunks: ['new 2', 'new 3'], position: { epoch: 2, index: 4 } },
      { kind: 'ended' },
    ])
  })

  it('reports that a run is queued, and that it begins', async () => {
    const news = new RunNews()
    const open = { ...RUN, epoch: 1, chunks: 0, retractions: [], endedAt: null }
    const states: StoredRun[] = [
      { ...open, status: 'queued', epoch: 0 },
      { ...open, status: 'running' },
      { ...RUN, epoch: 1 },
    ]
    const store = {
      read() {
        news.publish('r', null)
        return Promise.resolve({ run: (states.length > 1 ? states.shift() : states[0]) ?? RUN, pages: [] })
      },
    }
    const kinds: string[] = []
    for await (const { kind } of followRun({ store, news }, 'r', { epoch: 1, index: 0 })) kinds.push(kind)
    expect(kinds).toEqual(['changed', 'changed', 'ended'])
  })
})

describe('toStreamReply', () => {
  const read = async (_id: string, from: number) => ({
    run: RUN,
    pages: from < 4 ? [{ epoch: 2, first: from, chunks: ['2', '3'].slice(from - 2) }] : [],
  })
  async function stream(isSse: boolean): Promise<string> {
    const start = { id: 'r', position: { epoch: 1, index: 2 }, isRetracted: false, isSse }
    const { body } = toStreamReply({ store: { read }, news: new RunNews() }, start)
    const { chunks, encode } = body as ReplyStream
    const texts: unknown[] = []
    for await (const chunk of chunks) texts.push(encode(chunk))
    return texts.join('')
  }

  it('sends the new epoch in server-sent events, and cuts lines, which cannot contain it', async () => {
    expect(await stream(true)).toBe('id: 1.2\n\nid: 2.2\n\nid: 2.3\ndata: 2\n\nid: 2.4\ndata: 3\n\n:end\n\n')
    await expect(stream(false)).rejects.toThrow(StreamCut)
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
