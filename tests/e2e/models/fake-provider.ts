import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** A server with the streaming APIs of three model providers. */
export interface FakeProvider {
  /** The requests, with the headers that contain keys. */
  readonly requests: { readonly url: string; readonly headers: IncomingMessage['headers'] }[]
  /** Replaces `fetch`, so that the hosts of the providers lead to this server. Returns a function that restores it. */
  intercept(): () => void
  close(): Promise<void>
}

const HOSTS = new Set(['api.openai.com', 'api.anthropic.com', 'generativelanguage.googleapis.com'])
const CITIES = ['London', 'Paris', 'Rome']

/** Starts the server on a free port. */
export async function startFakeProvider(): Promise<FakeProvider> {
  const requests: FakeProvider['requests'] = []
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers })
    void answer(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    requests,
    intercept() {
      const original = globalThis.fetch
      globalThis.fetch = async (input, init) => {
        const request = new Request(input, init)
        const url = new URL(request.url)
        if (!HOSTS.has(url.host)) return original(request)
        const body = await request.text()
        const { method, headers } = request
        return original(`http://127.0.0.1:${port}${url.pathname}${url.search}`, { method, headers, body })
      }
      return () => void (globalThis.fetch = original)
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  const body = JSON.parse(text) as { messages?: { role: string }[] }
  const path = request.url ?? ''
  const events = path.includes('/chat/completions')
    ? openAiEvents(body.messages ?? [])
    : path.includes('/v1/messages')
      ? anthropicEvents()
      : googleEvents()
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'a-request' })
  for (const event of events) {
    response.write(event)
    await new Promise((resolve) => setImmediate(resolve)) // each event in its own chunk
  }
  response.end()
}

/** Three rounds of tools, and then text. */
function openAiEvents(messages: readonly { role: string }[]): string[] {
  const round = messages.filter(({ role }) => role === 'tool').length
  const city = CITIES[round]
  const words = ['Rain ', 'in London, ', 'sun — ', 'elsewhere.']
  const call = (name: object): object => ({ tool_calls: [{ index: 0, ...name }] })
  const deltas =
    city === undefined
      ? words.map((content) => ({ content }))
      : [
          call({ id: `call_${round}`, type: 'function', function: { name: 'weather', arguments: '' } }),
          call({ function: { arguments: '{"city":' } }),
          call({ function: { arguments: `${JSON.stringify(city)}}` } }),
        ]
  const base = { id: `chatcmpl-${round}`, object: 'chat.completion.chunk', created: 1_700_000_000, model: 'gpt-5-mini' }
  const chunk = (delta: object, finish_reason: string | null): string =>
    `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const usage = { prompt_tokens: 10 + round, completion_tokens: 5, total_tokens: 15 + round }
  return [
    ...deltas.map((delta) => chunk({ role: 'assistant', ...delta }, null)),
    chunk({}, city === undefined ? 'stop' : 'tool_calls'),
    `data: ${JSON.stringify({ ...base, choices: [], usage })}\n\n`,
    'data: [DONE]\n\n',
  ]
}

function anthropicEvents(): string[] {
  const usage = { input_tokens: 3, output_tokens: 1 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'claude', usage }
  const events: { type: string; [name: string]: unknown }[] = [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Tea' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

function googleEvents(): string[] {
  const candidate = { content: { role: 'model', parts: [{ text: 'Tea' }] }, finishReason: 'STOP' }
  return [`data: ${JSON.stringify({ candidates: [candidate], usageMetadata: {} })}\n\n`]
}
