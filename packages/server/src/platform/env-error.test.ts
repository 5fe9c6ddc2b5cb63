import { describe, expect, it, vi } from 'vitest'
import type * as EnvErrors from './env-error.ts'

const ERROR = { name: 'KEY', problem: 'is not set', purpose: 'it opens the door', example: 'KEY=abc' }

/** A module of its own: whether faults are collected is known to the whole process. */
async function load(): Promise<typeof EnvErrors> {
  vi.resetModules()
  return import('./env-error.ts')
}

describe('reportEnvError', () => {
  it('throws what is wrong, what it is for, and a line that would do', async () => {
    const { reportEnvError } = await load()
    expect(() => reportEnvError(ERROR, 'instead')).toThrow(
      new TypeError('KEY is not set (it opens the door). Example: KEY=abc'),
    )
  })

  it('goes on with something else where faults are collected, and notes each variable once', async () => {
    const { collectEnvErrors, reportEnvError } = await load()
    const end = collectEnvErrors()
    expect(reportEnvError(ERROR, 'instead')).toBe('instead')
    reportEnvError({ ...ERROR, purpose: 'it opens the window' }, 'instead')
    reportEnvError({ ...ERROR, name: 'LOCK' }, 'instead')
    expect(end().map(({ name, purpose }) => [name, purpose])).toEqual([
      ['KEY', 'it opens the door'],
      ['LOCK', 'it opens the door'],
    ])
    expect(end()).toHaveLength(2)
  })

  it('throws again once they are collected: nobody is served with what stands in for a secret', async () => {
    const { collectEnvErrors, reportEnvError } = await load()
    expect(collectEnvErrors()()).toEqual([])
    expect(() => reportEnvError(ERROR, 'instead')).toThrow('KEY is not set')
  })
})
