import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves pages, and streams with a given number of chunks. */
export interface StreamServer {
  readonly origin: string
  /** The duration of a stream in ms; 0 sends as fast as possible. */
  pace: number
  close(): void
}

/** Six characters, as `streams/stage.mjs` counts them. */
const TOKEN = 'token '
const WRITES_A_SECOND = 250

interface Kind {
  readonly type: string
  readonly first: string
  readonly piece: (n: number) => string
  readonly last: string
}

const KINDS: Readonly<Record<string, Kind>> = {
  ndjson: { type: 'application/x-ndjson', first: '', piece: (n) => `${JSON.stringify(record(n))}\n`, last: '' },
  // The AI SDK's protocol, version 1: a message with one text part, or with many.
  text: {
    type: 'text/event-stream',
    first: event({ type: 'start' }) + event({ type: 'text-start', id: 't' }),
    piece: () => event({ type: 'text-delta', id: 't', delta: TOKEN }),
    last: `${event({ type: 'text-end', id: 't' })}${event({ type: 'finish' })}data: [DONE]\n\n`,
  },
  parts: {
    type: 'text/event-stream',
    first: event({ type: 'start' }),
    piece: (n) => event({ type: 'data-record', data: record(n) }),
    last: `${event({ type: 'finish' })}data: [DONE]\n\n`,
  },
}

/** Starts the server with pages by name. */
export async function startStreamServer(pages: ReadonlyMap<string, string>, count: number): Promise<StreamServer> {
  const server = createServer((request, response) => {
    const [, folder, name = ''] = request.url?.split('/') ?? []
    const kind = KINDS[name]
    if (folder === 'page') response.setHeader('content-type', 'text/html').end(toHtml(pages.get(name) ?? ''))
    else if (folder === 'stream' && kind !== undefined) void sendStream(response, kind, { count, pace: self.pace })
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const self: StreamServer = { origin: originOf(server), pace: 0, close: () => server.close() }
  return self
}

interface Job {
  readonly count: number
  readonly pace: number
}

async function sendStream(response: ServerResponse, kind: Kind, { count, pace }: Job): Promise<void> {
  response.writeHead(200, { 'content-type': kind.type, 'x-vercel-ai-ui-message-stream': 'v1' })
  response.write(kind.first)
  const writes = pace === 0 ? 1 : (pace / 1000) * WRITES_A_SECOND
  const started = performance.now()
  for (let write = 0, sent = 0; write < writes; write++) {
    let text = ''
    for (const until = Math.round(((write + 1) / writes) * count); sent < until; sent++) text += kind.piece(sent)
    response.write(text)
    // Scheduled by the clock, so that a late write does not delay the following ones.
    const wait = started + (write + 1) * (pace / writes) - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  }
  response.end(kind.last)
}

function record(n: number): object {
  return { id: n, text: `This is token ${n}` }
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

function toHtml(code: string): string {
  const script = code.replaceAll('</script', String.raw`<\/script`)
  return `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="root"></div><script type="module">${script}</script>`
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
