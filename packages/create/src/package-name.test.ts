import { describe, expect, it } from 'vitest'
import { assertPackageName, toPackageName } from './package-name.ts'

describe('toPackageName', () => {
  it.each([
    ['My App', 'my-app'],
    ['.hidden_', 'hidden_'],
    ['Ünder', 'nder'],
    ['***', 'my-app'],
    ['node_modules', 'node_modules-app'],
    ['http', 'http-app'],
    ['x'.repeat(300), 'x'.repeat(214)],
  ])('converts %s to %s, which is valid', (folder, name) => {
    expect(toPackageName(folder)).toBe(name)
    expect(() => assertPackageName(name)).not.toThrow()
  })
})

describe('assertPackageName', () => {
  it.each(['app', 'my-app', '@ada/app', 'a.b_c~d', '0'])('accepts %s', (name) => {
    expect(() => assertPackageName(name)).not.toThrow()
  })

  it.each([
    ['My App', 'it must consist of a-z, 0-9', 'try --name my-app'],
    ['_x', 'must not start with "." or "_"', 'try --name x'],
    ['fs', 'Node has a built-in module with this name', 'try --name fs-app'],
    ['favicon.ico', 'it is reserved by npm', 'try --name favicon.ico-app'],
    ['', 'it must consist of', 'try --name my-app'],
    ['a'.repeat(215), 'it must have at most 214 characters, got 215', `try --name ${'a'.repeat(214)}`],
  ])('throws on %j and suggests a fix', (name, reason, fix) => {
    expect(() => assertPackageName(name)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(reason), fix, exitCode: 2 }),
    )
  })
})
