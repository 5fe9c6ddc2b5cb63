import { expect, it } from 'vitest'
import { toChunkRows } from './chunk-rows.ts'

const attempts = [
  { epoch: 1, process: null, keep: null, steps: 0 },
  { epoch: 2, process: null, keep: 1, steps: 0 },
  { epoch: 3, process: null, keep: 3, steps: 0 },
]
const chunks = ['a', 'b', 'c'].map((text, index) => ({ text, size: 1, epoch: index === 0 ? 1 : 2 }))

it('marks where an attempt has retracted chunks', () => {
  const rows = toChunkRows({ attempts, chunks, firstChunk: 0 })
  expect(rows.map((row) => (row.kind === 'chunk' ? row.text : `${row.epoch} kept ${row.keep}`))).toEqual([
    'a',
    '2 kept 1',
    'b',
    'c',
    '3 kept 3',
  ])
})

it('numbers chunks from the first one that is shown', () => {
  const [first] = toChunkRows({ attempts: [], chunks, firstChunk: 500 })
  expect(first).toEqual({ kind: 'chunk', index: 500, epoch: 1, text: 'a' })
})

it('has no rows without chunks', () => {
  expect(
    toChunkRows({ attempts: [{ epoch: 2, process: null, keep: 0, steps: 0 }], chunks: [], firstChunk: 0 }),
  ).toEqual([])
})
