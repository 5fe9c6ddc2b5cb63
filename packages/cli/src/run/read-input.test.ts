import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { readInput } from './read-input.ts'

describe('readInput', () => {
  const { path: cwd } = temporaryFolder('input')

  it('reads the argument, a file, or standard input', async () => {
    writeFileSync(join(cwd, 'input.json'), '{ "a":\n 1 }')
    expect(await readInput({ argument: '{ "a": 1 }', cwd })).toBe('{"a":1}')
    expect(await readInput({ argument: '@input.json', cwd })).toBe('{"a":1}')
    expect(await readInput({ argument: '-', cwd, stdin: Readable.from(['{"a"', ':1}']) })).toBe('{"a":1}')
    expect(await readInput({ argument: '-', cwd, stdin: Readable.from([]) })).toBeUndefined()
  })

  it('does not wait for standard input without an argument', async () => {
    expect(await readInput({ argument: undefined, cwd, stdin: new Readable({ read() {} }) })).toBeUndefined()
  })

  it.each([
    ['{oops', 'the input is not valid JSON: '],
    ['hello', 'the input is not valid JSON: '],
    ['@nowhere.json', 'cannot read the input file '],
  ])('rejects %s', async (given, message) => {
    await expect(readInput({ argument: given, cwd })).rejects.toThrow(message)
  })
})
