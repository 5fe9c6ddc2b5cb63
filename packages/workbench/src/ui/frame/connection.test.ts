import { describe, expect, it } from 'vitest'
import { toConnectionStatus } from './connection.ts'

const WELL = { isReloading: false, problems: [] }
const PROBLEM = { route: '/api/*', message: 'x', file: 'x.ts', place: null, frame: '' }

describe('toConnectionStatus', () => {
  it('returns the status of the dev server', () => {
    const text = (facts: Partial<Parameters<typeof toConnectionStatus>[0]>): string =>
      toConnectionStatus({ isConnected: true, manifest: undefined, error: null, ...facts }).text
    expect(text({ isConnected: false, manifest: undefined })).toBe('Connecting')
    expect(text({ isConnected: true, manifest: WELL })).toBe('Connected')
    expect(text({ isConnected: false, manifest: WELL })).toBe('Restarting')
    expect(text({ isConnected: true, manifest: { ...WELL, isReloading: true } })).toBe('Restarting')
    expect(text({ isConnected: true, manifest: { ...WELL, problems: [PROBLEM] } })).toBe('Build failed')
    expect(text({ isConnected: false, manifest: WELL, error: { status: 401 } })).toBe('Link required')
    expect(text({ isConnected: false, manifest: WELL, error: { status: 500 } })).toBe('Restarting')
    expect(text({ isConnected: false, manifest: WELL, error: { status: 0 } })).toBe('No response')
  })
})
