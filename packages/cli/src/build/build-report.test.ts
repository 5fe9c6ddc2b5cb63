import { createTerminalStyle } from '@sdk/server/node'
import { describe, expect, it } from 'vitest'
import { toBuildReport } from './build-report.ts'

describe('toBuildReport', () => {
  it('shows every file with its compressed sizes', () => {
    const file = { tag: 'x', isHashed: true }
    const web = [
      { ...file, name: 'assets/index-B_Q1nnwA.js', sizes: { identity: 219_557, gzip: 68_100, br: 58_000 } },
      { ...file, name: 'index.html', sizes: { identity: 351 } },
    ]
    const result = { serverSize: 351_234, externals: { pg: '8.1.0' }, web }
    expect(toBuildReport(result, createTerminalStyle(false))).toEqual([
      '                                         size     gzip   brotli',
      '  dist/server                        351.2 kB',
      '  dist/web/assets/index-B_Q1nnwA.js  219.6 kB  68.1 kB  58.0 kB',
      '  dist/web/index.html                  0.4 kB',
      '  dist/server requires pg@8.1.0',
    ])
  })
})
