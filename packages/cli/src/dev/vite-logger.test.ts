import { describe, expect, it } from 'vitest'
import { createViteLogger } from './vite-logger.ts'

describe('createViteLogger', () => {
  const error = Object.assign(new Error('Unexpected token'), { loc: { file: 'App.tsx', line: 1, column: 0 } })

  it('reports an error of a file that a page has requested', () => {
    const broken: Error[] = []
    createViteLogger((one) => broken.push(one)).error('Internal server error: Unexpected token', { error })
    expect(broken).toEqual([error])
  })

  it('ignores errors of background compilation, which may be outdated', () => {
    const broken: Error[] = []
    createViteLogger((one) => broken.push(one)).error('Pre-transform error: Unexpected token', { error })
    expect(broken).toEqual([])
  })
})
