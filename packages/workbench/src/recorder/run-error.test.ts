import { ApiError } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './redact.ts'
import { redactError, toRunError } from './run-error.ts'

const root = import.meta.dirname

function thrower(): never {
  throw new TypeError('no such\nuser', { cause: 'a reason' })
}

function caught(work: () => never): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe('toRunError', () => {
  it('returns the location and the code frame of an error in the project', () => {
    const error = toRunError(caught(thrower), root)
    const [first] = error.frames
    expect(error).toMatchObject({ name: 'TypeError', message: 'no such\nuser', code: null })
    expect(first).toMatchObject({ name: 'thrower', file: 'run-error.test.ts', line: 9, isForeign: false })
    expect(error.codeFrame).toMatch(/^> +9 \|   throw new TypeError/m)
    expect(error.cause).toMatchObject({ name: 'string', message: 'a reason' })
  })

  it('marks frames of Node and of libraries as foreign', () => {
    const stack = [
      'Error: x',
      '    at f (file:///lib/x.js:1:2)',
      `    at async Object.g (${root}/node_modules/y/index.js:3:4)`,
      `    at ${root}/own.ts?t=17:5:6`,
      '    at node:internal/process/task_queues:95:5',
      '    at new Promise (<anonymous>)',
    ].join('\n')
    const { frames, codeFrame } = toRunError(Object.assign(new Error('x'), { stack }), root)
    expect(frames.map(({ name, file, line, isForeign }) => [name, file, line, isForeign])).toEqual([
      ['f', '/lib/x.js', 1, true],
      ['Object.g', 'node_modules/y/index.js', 3, true],
      ['', 'own.ts', 5, false],
      ['', 'node:internal/process/task_queues', 95, true],
    ])
    expect(codeFrame).toBe('')
  })

  it('returns the location in a project whose path contains a space', () => {
    const stack = 'Error: x\n    at f (/my%20app/own.ts:5:6)'
    const { frames } = toRunError(Object.assign(new Error('x'), { stack }), '/my app')
    expect(frames).toMatchObject([{ file: 'own.ts', isForeign: false }])
  })

  it('does not parse lines of a message as frames', () => {
    const error = new Error(`x\n    at y (${root}/z.ts:1:1)`)
    expect(toRunError(error, root).frames.some(({ file }) => file === 'z.ts')).toBe(false)
  })

  it('returns the code of an ApiError, but not of other errors', () => {
    expect(toRunError(new ApiError('GONE', 'x'), root).code).toBe('GONE')
    expect(toRunError(Object.assign(new Error('x'), { code: 'ENOENT' }), root).code).toBeNull()
  })

  it('accepts any thrown value', () => {
    const hostile = new Proxy(new Error('x'), {
      get() {
        throw new Error('do not look')
      },
    })
    expect(toRunError(hostile, root).message).toBe('the thrown value cannot be read')
    expect(toRunError(undefined, root)).toMatchObject({ name: 'undefined' })
    expect(toRunError({ password: 'x', a: 1 }, root).message).toBe('{"password":"[redacted]","a":1}')
    const ring = new Error('ring')
    ring.cause = ring
    expect(toRunError(ring, root).cause?.cause?.message).toBe('ring')
  })

  it('truncates long messages and stacks', () => {
    const long = toRunError(new Error('x'.repeat(5_000_000), { cause: 'y'.repeat(5_000_000) }), root)
    expect([long.message.length, long.cause?.message.length]).toEqual([8_192, 8_192])
    const began = performance.now()
    toRunError(Object.assign(new Error('x'), { stack: `${'\n'.repeat(200_000)}z` }), root)
    expect(performance.now() - began).toBeLessThan(1_000)
  })

  it('keeps the file URL of a frame on another host', () => {
    const stack = 'Error: x\n    at f (file://elsewhere/x.js:1:2)'
    expect(toRunError(Object.assign(new Error('x'), { stack }), root)).toMatchObject({
      message: 'x',
      frames: [{ file: 'file://elsewhere/x.js', isForeign: true }],
    })
  })
})

describe('redactError', () => {
  it('redacts secrets in the messages of an error and its cause', () => {
    const error = new Error('no {"password":"S3CR3T"}', {
      cause: new Error('sent {"token":"S3CR3T-of-many-characters"}'),
    })
    const hidden = redactError(toRunError(error, root), createRedactor())
    expect([hidden.message, hidden.cause?.message]).toEqual([
      'no {"password":"[redacted]"}',
      'sent {"token":"[redacted]"}',
    ])
  })
})
