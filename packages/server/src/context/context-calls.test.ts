import { compileFile } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'

describe('ctx.call with the routes of an app', () => {
  it('types calls and tools, also of handlers that return the results of each other', async () => {
    expect(await compileFile(new URL('route-cycle.test.fixture.ts', import.meta.url))).toBe('')
  })

  it('needs a return type for a handler that returns the result of another', async () => {
    const output = await compileFile(new URL('untyped-cycle.test.fixture.ts', import.meta.url))
    for (const name of ['router', 'ping', 'pong'])
      expect(output).toContain(`TS7022: '${name}' implicitly has type 'any'`)
  })
})
