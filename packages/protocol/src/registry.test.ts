import { compileFile } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'

describe('a filled registry', () => {
  // Declaration merging affects the whole program, including the routes of other type tests,
  // so the fixture is compiled as a separate program, as in an app.
  it('types its routes and sockets and rejects others', async () => {
    expect(await compileFile(new URL('registry.test.fixture.ts', import.meta.url))).toBe('')
  })

  it('is checked by a compiler that reports errors', async () => {
    expect(await compileFile(new URL('no-such-file.ts', import.meta.url))).toContain('error')
  })
})
