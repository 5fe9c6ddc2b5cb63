import { describe, expect, it } from 'vitest'
import { EMPTY_INPUT } from '../../input/call-input.ts'
import { toMarkdown } from './error-markdown.ts'
import { EMPTY_RECORDING } from '../stream/recording.ts'
import { createTestError, createTestRun } from '../test-run.test.fixture.ts'

describe('toMarkdown', () => {
  it('returns the route, the input, the error and its location', () => {
    const foreign = { name: 'run', file: 'node_modules/x/index.js', line: 1, column: 1, isForeign: true }
    const error = createTestError()
    const thrown = {
      ...error,
      frames: [...error.frames, foreign],
      cause: createTestError({ message: 'the socket broke', frames: [], codeFrame: '' }),
    }
    const run = createTestRun({
      ms: 12.4,
      logs: [{ at: 3, level: 'warn', message: 'slow', fields: '{"n":1}', spanId: 0 }],
    })
    const text = toMarkdown({
      message: 'no luck',
      status: 500,
      code: 'INTERNAL_SERVER_ERROR',
      envelope: { error: { code: 'INTERNAL_SERVER_ERROR', message: 'Something went wrong', details: [] } },
      thrown,
      recording: EMPTY_RECORDING,
      run,
      route: 'POST /agent/echo',
      input: { ...EMPTY_INPUT, body: '{"text":"```"}' },
    })
    expect(text).toBe(`# no luck

\`POST /agent/echo\` returned 500 INTERNAL_SERVER_ERROR after 12 ms.

## Input

\`\`\`\`json
{"text":"\`\`\`"}
\`\`\`\`

## Error

\`\`\`
Error: no luck
    at work (src/agent/echo/index.ts:5:9)
\`\`\`

\`\`\`ts
> 5 |   throw new Error()
\`\`\`

Caused by:

\`\`\`
Error: the socket broke
\`\`\`

## Response to the caller

\`\`\`json
{
  "error": {
    "code": "INTERNAL_SERVER_ERROR",
    "message": "Something went wrong",
    "details": []
  }
}
\`\`\`

## Logs

\`\`\`
+3.0 ms warn slow {"n":1}
\`\`\`
`)
  })

  it('omits unknown parts', () => {
    const text = toMarkdown({
      message: 'The server cannot be reached',
      status: 0,
      code: 'NETWORK_ERROR',
      envelope: null,
      thrown: null,
      recording: EMPTY_RECORDING,
      run: undefined,
      route: 'GET /api/status',
      input: EMPTY_INPUT,
    })
    expect(text).toBe('# The server cannot be reached\n\n`GET /api/status` received no response.\n')
  })
})
