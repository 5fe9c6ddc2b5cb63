import { compileFile } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'

describe('testApp with the routes of an app', () => {
  it('types calls and results', async () => {
    expect(await compileFile(new URL('testing-registry.test.fixture.ts', import.meta.url))).toBe('')
  })
})
