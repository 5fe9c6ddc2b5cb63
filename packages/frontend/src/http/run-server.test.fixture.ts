import type { IncomingMessage, ServerResponse } from 'node:http'
import { CONTENT_TYPE, formatRunPosition, joinEvent, joinLine, parseRunPosition, type Run } from '@sdk/protocol'
import { respond, startServer, type TestServer } from './http-server.test.fixture.ts'

/** A server with one run, `r1` of the agent at `/agent/a`, which speaks the wire format of durable agents. */
export interface RunServer extends TestServer {
  /** The run, as its route returns it. */
  run: Run
  epoch: number
  chunks: unknown[]
  /** The epochs that began with a retraction, each with the number of chunks that it kept. */
  retractions: (readonly [epoch: number, keep: number])[]
  /**
   * How each response with chunks ends, in order: the number of bytes after which it ends, and whether its
   * connection is cut or the response ends properly. Further responses are whole.
   */
  faults: { bytes: number; isProper?: boolean; onSent?: () => unknown }[]
  /** Replaces the response to a request, if it returns true. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Takes the run over: keeps this number of chunks and adds others. */
  takeOver(keep: number, ...chunks: unknown[]): void
}

export const RUN: Run = {
  id: 'r1',
  status: 'running',
  waiting: null,
  stream: true,
  attempt: 1,
  input: null,
  output: null,
  error: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
}

/** Starts the server. Its streams contain the chunks so far and then end, as those of an ended run. */
export async function startRunServer(...chunks: unknown[]): Promise<RunServer> {
  const model: Omit<RunServer, keyof TestServer> = {
    run: RUN,
    epoch: 1,
    chunks,
    retractions: [],
    faults: [],
    intercept: () => false,
    takeOver(keep, ...rest) {
      model.epoch++
      model.retractions.push([model.epoch, keep])
      model.chunks = [...model.chunks.slice(0, keep), ...rest]
    },
  }
  const server = await startServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const at = parseRunPosition(searchParams.get('at')) ?? { epoch: model.epoch, index: 0 }
    if (model.intercept(request, response)) return
    if (pathname === '/agent/a/runs/r1') respond(200, model.run)(request, response)
    else if (pathname === '/agent/a' || pathname === '/agent/a/runs/r1/chunks') sendChunks(request, response, at)
    else respond(404, {})(request, response)
  })
  return Object.assign(model, server)

  function sendChunks(request: IncomingMessage, response: ServerResponse, at: { epoch: number; index: number }): void {
    const kept = model.retractions.filter(([epoch]) => epoch > at.epoch).map(([, keep]) => keep)
    const index = Math.min(at.index, ...kept)
    const isSse = request.headers.accept === CONTENT_TYPE.sse
    const text = model.chunks.slice(index).map((chunk, offset) => {
      const id = formatRunPosition({ epoch: model.epoch, index: index + offset + 1 })
      return isSse ? joinEvent(chunk, { id }) : joinLine(chunk)
    })
    response.writeHead(200, {
      'content-type': isSse ? CONTENT_TYPE.sse : CONTENT_TYPE.ndjson,
      'run-id': model.run.id,
      'run-position': formatRunPosition({ epoch: model.epoch, index }),
    })
    sendBytes(response, Buffer.from(text.join('') + (isSse ? ':end\n\n' : ' \n')))
  }

  function sendBytes(response: ServerResponse, bytes: Buffer): void {
    const fault = model.faults.shift()
    if (fault === undefined) {
      response.end(bytes)
      return
    }
    fault.onSent?.()
    const part = bytes.subarray(0, fault.bytes)
    if (fault.isProper) response.end(part)
    else if (part.length > 0) response.write(part, () => response.destroy())
    else {
      // The client must receive the headers first.
      response.flushHeaders()
      setTimeout(() => response.destroy(), 5)
    }
  }
}
