import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgent, createApp, createLog } from '../index.ts'
import { testApp, type TestApp } from '../testing.ts'
import { storeMatrix } from '../node/recording-files.ts'

// Below the package, so that Vitest loads the project with its imports.
const folder = join(import.meta.dirname, `../../.matrix-${process.pid}`)
const echo = createAgent('echo', {
  handler(_ctx, { text, style = 'plain' }: { text: string; style?: string }) {
    if (text === 'fail') throw new Error('out of tea')
    return { text: style === 'loud' ? text.toUpperCase() : text }
  },
})
const INPUTS = [{ text: 'tea' }, { text: 'coffee' }]

let app: TestApp
beforeAll(async () => {
  mkdirSync(join(folder, 'src/agent/echo'), { recursive: true })
  writeFileSync(
    join(folder, 'src/agent/echo/index.ts'),
    `import { createAgent } from '@sdk/server'
     export default createAgent('echo', { handler: (_ctx, { text, style }) =>
       ({ text: style === 'loud' ? text.toUpperCase() : text }) })`,
  )
  app = await testApp(createApp({ agents: [echo], log: createLog({ write: () => {} }) }))
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

describe('matrix', () => {
  it('scores each variant of each input', async () => {
    const result = await app.agent('echo').matrix({
      inputs: INPUTS,
      variants: { plain: {}, loud: { style: 'loud' } },
      scores: (output, input: unknown) => {
        const { text } = output as { text: string }
        return text === (input as { text: string }).text ? text.length : 0
      },
    })
    expect(result.scores).toEqual({ plain: 4.5, loud: 0 })
    expect(result.cells).toEqual([
      { row: 0, variant: 'plain', input: { text: 'tea' }, output: { text: 'tea' }, score: 3 },
      { row: 0, variant: 'loud', input: { text: 'tea', style: 'loud' }, output: { text: 'TEA' }, score: 0 },
      { row: 1, variant: 'plain', input: { text: 'coffee' }, output: { text: 'coffee' }, score: 6 },
      { row: 1, variant: 'loud', input: { text: 'coffee', style: 'loud' }, output: { text: 'COFFEE' }, score: 0 },
    ])
  })

  it('has one variant by default', async () => {
    const { scores } = await app.agent('echo').matrix({ inputs: INPUTS, scores: () => 0.5 })
    expect(scores).toEqual({ default: 0.5 })
  })

  it('rejects if a call fails or a score is not a number', async () => {
    const { matrix } = app.agent('echo')
    const failed = matrix({ inputs: [{ text: 'tea' }, { text: 'fail' }], scores: () => 1 })
    await expect(failed).rejects.toThrow(/POST \/agent\/echo failed with input 1 of the variant "default": /)
    await expect(matrix({ inputs: INPUTS, scores: () => Number.NaN })).rejects.toThrow(
      'scores must return a number, got NaN for input 0 of the variant "default"',
    )
    await expect(matrix({ inputs: [], scores: () => 1 })).rejects.toThrow('must get inputs and variants, got 0 and 1')
  })

  it('stores the results of a project, and deletes the oldest ones', async () => {
    const project = await testApp(folder)
    const result = await project.agent('echo').matrix({ inputs: INPUTS, scores: () => 1 })
    await project.close()
    const stored = join(folder, '.sdk/matrix')
    const [name = ''] = readdirSync(stored)
    expect(JSON.parse(readFileSync(join(stored, name), 'utf8'))).toEqual(result)
    for (let year = 3000; year < 3201; year++) storeMatrix(folder, { at: `${year}-01-01T00:00:00.000Z` })
    const names = readdirSync(stored)
    expect(names).toHaveLength(200)
    expect(names).not.toContain(name)
  })
})
