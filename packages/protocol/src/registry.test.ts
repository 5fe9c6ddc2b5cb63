import { compileFile } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'

describe('a filled registry', () => {
  // Declaration merging reaches the whole program it is in. Beside the other type tests it would
  // type their routes too, so it has a program of its own, as every app has.
  it('types its routes and sockets, and refuses others', async () => {
    expect(await compileFile(new URL('registry.test.fixture.ts', import.meta.url))).toBe('')
  })

  it('is compiled indeed', async () => {
    expect(await compileFile(new URL('no-such-file.ts', import.meta.url))).toContain('error')
  })
})
