import { connect, type Socket } from 'node:net'

/** A request that was sent without any byte of a response. */
export interface Loss {
  readonly n: number
  /** The local port, and the time of its connection. */
  readonly from: number
  readonly at: number
  /** Whether the connection was used before. */
  readonly isKept: boolean
  /** The error of the connection. */
  readonly how: string
}

/** The results of a client's requests. */
export interface Outcome {
  /** The response to each number; there must be one, and the correct one. */
  readonly answers: Map<number, unknown>
  /** Responses other than 200, truncated ones, or ones without a request. */
  readonly wrong: string[]
  readonly losses: Loss[]
  refused: number
}

/** A connection that is reused until the server announces that it closes. */
interface Connection {
  readonly socket: Socket
  /** The local port; the socket loses it when it closes. */
  readonly from: number
  readonly at: number
  /** The number of requests on it. */
  carried: number
}

/**
 * Sends numbers, one at a time, until `next` returns no more, each until it has a response.
 *
 * Legitimate retries: if no connection was established, nothing was sent. A request on a connection that ends without
 * one byte of a response is retried too, so that the run can continue, but is recorded as a loss: the test checks
 * whether a server had accepted that connection. In that case it had to respond.
 */
export async function sendAll(
  port: number,
  outcome: Outcome,
  next: () => number | undefined,
  keepsAlive: boolean,
): Promise<void> {
  let connection: Connection | undefined
  for (let n = next(); n !== undefined; n = next()) {
    for (let hasResponse = false; !hasResponse;) {
      connection ??= await open(port, outcome)
      const response = await exchange(connection, toRequest(n, keepsAlive))
      hasResponse = typeof response !== 'string'
      if (typeof response === 'string')
        addLoss(outcome, { n, from: connection.from, at: connection.at, isKept: connection.carried > 1, how: response })
      else record(outcome, n, response)
      if (typeof response === 'string' || response.isLast) {
        connection.socket.destroy()
        connection = undefined
      }
    }
  }
  connection?.socket.destroy()
}

/** Connects, and retries until a server listens. */
async function open(port: number, outcome: Outcome): Promise<Connection> {
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const code = await new Promise<string>((resolve) => {
      socket
        .once('connect', () => resolve(''))
        .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })
    if (code === '') return { socket, from: socket.localPort ?? 0, at: Date.now(), carried: 0 }
    outcome.refused++
    // Reset while connecting: it was in the accept queue when the server closed. Nothing was sent yet.
    if (code !== 'ECONNREFUSED' && code !== 'ECONNRESET') outcome.wrong.push(`connecting failed with ${code}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

interface ParsedResponse {
  readonly status: number
  readonly body: string
  /** Whether the server will close the connection. */
  readonly isLast: boolean
}

/** Sends one request; a string is the reason why the connection ended without a byte of a response. */
function exchange(connection: Connection, request: string): Promise<ParsedResponse | string> {
  const { socket } = connection
  connection.carried++
  return new Promise((resolve) => {
    let text = ''
    let how = 'the end of the connection'
    const done = (result: ParsedResponse | string): void => {
      socket.removeAllListeners()
      // Ignore late errors of a connection that is no longer used.
      socket.on('error', () => undefined)
      resolve(result)
    }
    const onData = (part: Buffer): void => {
      text += part.toString('latin1')
      const response = parse(text)
      if (response !== undefined) done(response)
    }
    socket.on('data', onData).on('error', (error: NodeJS.ErrnoException) => (how = error.code ?? error.message))
    socket.on('close', () =>
      done(text === '' ? how : { status: 0, body: `cut off after ${JSON.stringify(text)}`, isLast: true }),
    )
    socket.on('end', () => socket.end())
    socket.write(request)
  })
}

function parse(text: string): ParsedResponse | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end)
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
  const body = text.slice(end + 4)
  if (body.length < length) return undefined
  if (body.length > length) return { status: 0, body: `more than a response: ${JSON.stringify(text)}`, isLast: true }
  return { status: Number(text.slice(9, 12)), body, isLast: /\r\nconnection: close/i.test(head) }
}

function record(outcome: Outcome, n: number, { status, body }: ParsedResponse): void {
  if (status !== 200) outcome.wrong.push(`${n}: ${status} ${body}`)
  else if (outcome.answers.has(n)) outcome.wrong.push(`${n} has two responses`)
  outcome.answers.set(n, status === 200 ? JSON.parse(body) : body)
}

function addLoss(outcome: Outcome, loss: Loss): void {
  outcome.losses.push(loss)
}

/** Most are quick; some take long enough to be in flight when the server is stopped. */
function toRequest(n: number, keepsAlive: boolean): string {
  const wait = n % 500 === 0 ? 400 : n % 20 === 0 ? 15 : 0
  const body = JSON.stringify({ n, wait })
  return `POST /agent/echo HTTP/1.1\r\nHost: localhost\r\nConnection: ${keepsAlive ? 'keep-alive' : 'close'}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}
