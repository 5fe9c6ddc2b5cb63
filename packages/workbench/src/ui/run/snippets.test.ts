import { describe, expect, it } from 'vitest'
import { snippetsOf } from './snippets.ts'

const ORIGIN = 'http://127.0.0.1:3000'

describe('snippetsOf', () => {
  it('calls an agent with the input on the bench', () => {
    const [react, curl] = snippetsOf('POST /agent/echo', `{"text":"it's"}`, ORIGIN)
    expect(react?.code).toContain(`useAPI('POST /agent/echo')`)
    expect(curl?.code).toBe(
      String.raw`curl -N -X POST http://127.0.0.1:3000/agent/echo -H 'content-type: application/json' -d '{"text":"it'\''s"}'`,
    )
  })

  it('sends nothing with a DELETE route', () => {
    expect(snippetsOf('DELETE /api/cart', '{}', ORIGIN).map(({ code }) => code)).toEqual([
      `const { data, invoke, isLoading, error } = useAPI('DELETE /api/cart')\n\nawait invoke()`,
      'curl -N -X DELETE http://127.0.0.1:3000/api/cart',
    ])
  })

  it('reads a GET route and joins a socket', () => {
    expect(snippetsOf('GET /api/status', '{}', ORIGIN).map(({ code }) => code)).toEqual([
      `const { data, isLoading, error, refetch } = useAPI('GET /api/status')`,
      'curl http://127.0.0.1:3000/api/status',
    ])
    expect(snippetsOf('/ws/chat', '{}', ORIGIN)[0]?.code).toContain(`useWebsocket('/ws/chat')`)
  })
})
