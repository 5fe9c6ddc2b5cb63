import { compileFile } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'

describe('the hooks with a filled registry', () => {
  // Declaration merging reaches the whole program it is in: beside the other type tests it would type their routes too.
  it('promise 20: type payloads, params, chunks and items, and refuse unknown routes', async () => {
    expect(await compileFile(new URL('registry.test.fixture.ts', import.meta.url))).toBe('')
  })

  it('promise 20: say which routes there are, and what is missing', async () => {
    const said = await compileFile(new URL('registry-errors.test.fixture.ts', import.meta.url))
    expect(said.match(/error TS/g)).toHaveLength(4)
    expect(said).toContain(`'"GET /api/v1/note"' is not assignable to parameter of type '"GET /api/v1/notes"`)
    expect(said).toContain(`Did you mean '"GET /api/v1/notes"'?`)
    expect(said).toContain(`'the second argument is missing': ApiQueryOptions<"GET /api/v1/notes/:id", string>`)
    expect(said).toContain(`Property 'params' is missing in type '{}'`)
  })

  it('type the fields of a sign-up', async () => {
    expect(await compileFile(new URL('registry-auth.test.fixture.ts', import.meta.url))).toBe('')
  })

  it('say of an unknown socket which ones there are', async () => {
    const said = await compileFile(new URL('registry-sockets.test.fixture.ts', import.meta.url))
    const unknown =
      /Argument of type '"\/ws\/nope"' is not assignable to parameter of type '"\/ws\/chat" \| "\/ws\/rooms\/:id"'/g
    expect(said.match(/error/g)).toHaveLength(2)
    expect(said.match(unknown)).toHaveLength(2)
  })
})
