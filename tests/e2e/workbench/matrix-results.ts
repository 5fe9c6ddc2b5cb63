import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MatrixResult } from '@sdk/server/testing'

/** Stores two results of a matrix in a project, as a test with `matrix` does. */
export function storeScores(project: string): void {
  const folder = join(project, '.sdk/matrix')
  mkdirSync(folder, { recursive: true })
  const store = (name: string, result: MatrixResult): void =>
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(result))
  store('20260101090000000-aaaaaaaa', createMatrix('2026-01-01T09:00:00.000Z', 0.5, 'Steam'))
  store('20260102090000000-bbbbbbbb', createMatrix('2026-01-02T09:00:00.000Z', 0.75, 'Ice in the glass'))
}

function createMatrix(at: string, score: number, line: string): MatrixResult {
  const cells = ['tea', 'ice'].flatMap((subject, row) => [
    { row, variant: 'small', input: { subject, model: 'gpt-5-mini' }, output: { lines: [line] }, score },
    { row, variant: 'large', input: { subject, model: 'gpt-5' }, output: { lines: ['Tea', 'and ice'] }, score: 1 },
  ])
  return { route: 'POST /agent/poem', at, scores: { small: score, large: 1 }, cells }
}
