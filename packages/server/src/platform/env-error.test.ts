import { describe, expect, it, vi } from 'vitest'
import type * as EnvFaults from './env-error.ts'

const FAULT = { name: 'KEY', fault: 'is not set', purpose: 'it opens the door', example: 'KEY=abc' }

/** A module of its own: whether faults are collected is known to the whole process. */
async function load(): Promise<typeof EnvFaults> {
  vi.resetModules()
  return import('./env-error.ts')
}

describe('refuseEnv', () => {
  it('throws what is wrong, what it is for, and a line that would do', async () => {
    const { reportEnvError: refuseEnv } = await load()
    expect(() => refuseEnv(FAULT, 'instead')).toThrow(
      new TypeError('KEY is not set: it opens the door. Set it, as in KEY=abc'),
    )
  })

  it('goes on with something else where faults are collected, and notes each variable once', async () => {
    const { collectEnvErrors: collectEnvFaults, reportEnvError: refuseEnv } = await load()
    const end = collectEnvFaults()
    expect(refuseEnv(FAULT, 'instead')).toBe('instead')
    refuseEnv({ ...FAULT, purpose: 'it opens the window' }, 'instead')
    refuseEnv({ ...FAULT, name: 'LOCK' }, 'instead')
    expect(end().map(({ name, purpose }) => [name, purpose])).toEqual([
      ['KEY', 'it opens the door'],
      ['LOCK', 'it opens the door'],
    ])
    expect(end()).toHaveLength(2)
  })

  it('throws again once they are collected: nobody is served with what stands in for a secret', async () => {
    const { collectEnvErrors: collectEnvFaults, reportEnvError: refuseEnv } = await load()
    expect(collectEnvFaults()()).toEqual([])
    expect(() => refuseEnv(FAULT, 'instead')).toThrow('KEY is not set')
  })
})
