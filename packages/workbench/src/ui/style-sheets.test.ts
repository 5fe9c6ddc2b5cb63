import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Names that components put together. */
const COMPOSED = new Set(['strip-a', 'strip-b'])

it('has a style only for classes that a component uses', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  const read = (end: RegExp): string =>
    files
      .filter((file) => end.test(file) && !file.includes('.test.'))
      .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
      .join('\n')
  const selectors = read(/\.css$/).replaceAll(/\/\*[^]*?\*\/|\{[^{}]*\}/g, '')
  const names = new Set(Array.from(selectors.matchAll(/\.([a-z][\w-]*)/g), ([, name = '']) => name))
  expect(names.size).toBeGreaterThan(200)
  const used = new Set(read(/\.tsx?$|\.html$/).match(/[a-z][\w-]*/g))
  expect([...names].filter((name) => !used.has(name) && !COMPOSED.has(name))).toEqual([])
})
