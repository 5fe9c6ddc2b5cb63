import { compileFile } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'

describe('hooks with a filled registry', () => {
  // Declaration merging affects the whole program, so the fixtures are compiled apart from the other type tests.
  it('promise 20: type payloads, params, chunks and items, and reject unknown routes', async () => {
    expect(await compileFile(new URL('registry.test.fixture.ts', import.meta.url))).toBe('')
  })

  it('promise 20: report known routes and missing arguments in type errors', async () => {
    const output = await compileFile(new URL('registry-errors.test.fixture.ts', import.meta.url))
    expect(output.match(/error TS/g)).toHaveLength(6)
    expect(output).toContain(`'"GET /api/v1/note"' is not assignable to parameter of type '"GET /api/v1/notes"`)
    expect(output).toContain(`Did you mean '"GET /api/v1/notes"'?`)
    expect(output).toContain(
      `'the second argument is missing': ApiQueryOptions<"GET /api/v1/notes/:id", string, never>`,
    )
    expect(output).toContain(`Property 'params' is missing in type '{}'`)
    expect(output).toContain(`Property 'items' is missing in type '{ params: { id: number; }; }'`)
    expect(output).toContain(`required in type 'RouteWithoutPages'`)
  })

  it('type live data', async () => {
    expect(await compileFile(new URL('registry-live.test.fixture.ts', import.meta.url))).toBe('')
  })

  it('type the fields of a sign-up', async () => {
    expect(await compileFile(new URL('registry-auth.test.fixture.ts', import.meta.url))).toBe('')
  })

  it('report the known sockets for an unknown one', async () => {
    const output = await compileFile(new URL('registry-sockets.test.fixture.ts', import.meta.url))
    const unknown =
      /Argument of type '"\/ws\/nope"' is not assignable to parameter of type '"\/ws\/chat" \| "\/ws\/rooms\/:id"'/g
    expect(output.match(/error/g)).toHaveLength(2)
    expect(output.match(unknown)).toHaveLength(2)
  })
})
