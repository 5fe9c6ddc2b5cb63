import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeAuthSource, type FakeAuthSource } from './fake-auth-source.test.fixture.ts'
import { createHttpClient, type HttpClient } from '../http/http-client.ts'
import {
  respond,
  failure,
  readBody,
  startServer,
  type Handler,
  type TestServer,
} from '../http/http-server.test.fixture.ts'

let handler: Handler
let server: TestServer
let source: FakeAuthSource
let client: HttpClient

beforeEach(async () => {
  server = await startServer((request, response) => void handler(request, response))
  source = createFakeAuthSource()
  client = createHttpClient({ baseUrl: server.url }).withAuth(source)
})
afterEach(() => server.close())

describe('a client with an AuthSource', () => {
  it('reads the token for every request and keeps a header of the caller', async () => {
    handler = (request, response) => respond(200, request.headers.authorization ?? null)(request, response)
    expect(await client.call('GET /a')).toBeNull()
    source.become('ada', 'one')
    expect(await client.call('GET /a')).toBe('Bearer one')
    source.become('ada', 'two')
    expect(await client.call('GET /a')).toBe('Bearer two')
    expect(await client.call('GET /a', { headers: { authorization: 'Basic x' } })).toBe('Basic x')
  })

  it('gets a new token after a 401 and sends the request again', async () => {
    handler = async (request, response) => {
      const body = (await readBody(request)).toString()
      const isFresh = request.headers.authorization === 'Bearer fresh'
      respond(isFresh ? 200 : 401, { body })(request, response)
    }
    source.become('ada', 'old')
    source.onForce = () => source.become('ada', 'fresh')
    expect(await client.call('POST /a', { n: 1 })).toEqual({ body: '{"n":1}' })
    expect(server.requests).toHaveLength(2)
  })

  it('fails if the new token is rejected as well', async () => {
    handler = respond(401, {})
    source.become('ada', 'old')
    source.onForce = () => source.become('ada', 'fresh')
    expect(await failure(client.call('GET /a'))).toMatchObject({ code: 'UNAUTHORIZED', status: 401 })
    expect(server.requests).toHaveLength(2)
  })

  it('does not retry without a new token', async () => {
    handler = respond(401, {})
    source.become('ada', 'same')
    expect(await failure(client.call('GET /a'))).toMatchObject({ status: 401 })
    source.become(null)
    expect(await failure(client.call('GET /a'))).toMatchObject({ status: 401 })
    expect(server.requests).toHaveLength(2)
  })
})
