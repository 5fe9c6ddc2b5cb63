import type { ErrorGroup } from '../../api.ts'

/** Creates a group of two runs that threw in the project, with overrides. */
export function createGroup(some: Partial<ErrorGroup> = {}): ErrorGroup {
  return {
    key: 'key-1',
    route: 'POST /agent/echo',
    error: {
      name: 'TypeError',
      message: 'boom',
      code: null,
      frames: [
        { name: 'parse', file: 'node_modules/zod/index.js', line: 3, column: 1, isForeign: true },
        { name: 'handler', file: 'src/agent/echo/agent.ts', line: 7, column: 11, isForeign: false },
      ],
      codeFrame: '> 7 | throw new TypeError("boom")',
      cause: null,
    },
    count: 2,
    firstAt: 1_700_000_000_000,
    lastAt: 1_700_000_060_000,
    runIds: ['000002', '000001'],
    ...some,
  }
}
