import { ApiError } from '@sdk/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeAuthSource, type FakeAuthSource } from '../auth/fake-auth-source.test.fixture.ts'
import { createHttpClient, type HttpClient } from './http-client.ts'
import { respond, failure, startServer, type Handler, type TestServer } from './http-server.test.fixture.ts'
import { createInstantClock } from '../instant-clock.test.fixture.ts'

let handler: Handler
let server: TestServer
let source: FakeAuthSource
let client: HttpClient
let tokens: (string | undefined)[]

beforeEach(async () => {
  tokens = []
  server = await startServer((request, response) => {
    tokens.push(request.headers.authorization)
    void handler(request, response)
  })
  source = createFakeAuthSource()
  client = createHttpClient({ baseUrl: server.url, clock: createInstantClock(), auth: source })
})
afterEach(() => server.close())

/** Returns a handler that responds with these statuses in turn. */
function statuses(...list: number[]): Handler {
  return (request, response) => respond(list.shift() ?? 200, 'done')(request, response)
}

describe('a rejected token', () => {
  it('is renewed once, even if the server is busy in between', async () => {
    handler = statuses(503, 401, 503, 200)
    source.become('ada', 'old')
    source.onForce = () => source.become('ada', 'fresh')
    expect(await client.call('GET /a')).toBe('done')
    expect(tokens).toEqual(['Bearer old', 'Bearer old', 'Bearer fresh', 'Bearer fresh'])
  })

  it('is renewed once for all requests that used it', async () => {
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let forced = 0
    source.become('ada', 'old')
    source.onForce = () => source.become('ada', `fresh-${++forced}`)
    handler = async (request, response) => {
      const isOld = request.headers.authorization === 'Bearer old'
      if (isOld && request.url === '/slow') await held
      respond(isOld ? 401 : 200, 'done')(request, response)
    }
    const slow = client.call('GET /slow')
    expect(await client.call('GET /fast')).toBe('done')
    release()
    expect(await slow).toBe('done')
    expect(forced).toBe(1)
  })

  it('is not replaced by the token of the next user', async () => {
    handler = statuses(401)
    source.become('ada', 'old')
    source.onForce = () => source.become('bob')
    expect(await failure(client.call('POST /a', { mine: true }))).toMatchObject({ status: 401 })
    expect(tokens).toEqual(['Bearer old'])
  })

  it('is not replaced by the token of a user who signs in meanwhile', async () => {
    handler = statuses(401)
    source.become('ada')
    source.token = async () => {
      source.become('bob')
      return source.snapshot().token
    }
    expect(await failure(client.call('POST /a', { mine: true }))).toMatchObject({ status: 401 })
    expect(tokens.splice(0)).toEqual(['Bearer token-of-ada'])
    expect(await client.call('POST /a', { mine: true })).toBe('done')
    expect(tokens).toEqual(['Bearer token-of-bob'])
  })

  it('is renewed in the next attempt if the first renewal fails', async () => {
    handler = statuses(401, 401, 200)
    source.become('ada', 'old')
    source.onForce = () => {
      source.onForce = () => source.become('ada', 'fresh')
      throw new ApiError('SERVICE_UNAVAILABLE', 'down')
    }
    expect(await client.call('GET /a')).toBe('done')
    expect(tokens).toEqual(['Bearer old', 'Bearer old', 'Bearer fresh'])
  })

  it('does not cause a stream body to be sent twice', async () => {
    handler = statuses(401)
    source.become('ada', 'old')
    source.onForce = () => source.become('ada', 'fresh')
    const body = new ReadableStream({ start: (controller) => controller.close() })
    expect(await failure(client.call('PUT /a', body))).toMatchObject({ status: 401 })
    expect(tokens).toEqual(['Bearer old'])
  })
})
