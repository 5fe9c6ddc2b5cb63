import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findPythonWebsockets } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { REPLAY_MESSAGES, startWireServer, type WireServer } from './wire-client/server.ts'

const PYTHON = findPythonWebsockets()
const CLIENT = join(import.meta.dirname, 'wire-client/client.py')

/** An event of the client, as it prints it. */
type WireEvent = Record<string, unknown> & { readonly event: string }

interface WireClient {
  /** All events so far. */
  readonly events: WireEvent[]
  /** Returns the data of all received messages. */
  messages(): unknown[]
  /** Returns the events of one kind. */
  all(event: string): WireEvent[]
  do(command: object): void
  quit(): Promise<number | null>
}

// The client uses no code of this SDK, and was written only from docs/reference/wire.md.
describe.skipIf(PYTHON === undefined)('a Python client of the wire protocol', () => {
  let wire: WireServer
  let client: WireClient
  beforeEach(async () => {
    wire = await startWireServer()
    client = startClient(`${wire.server.url.replace('http', 'ws')}/ws/talk`)
    await expect.poll(() => client.all('open')).toEqual([{ event: 'open', resumed: false }])
  })
  afterEach(async () => {
    await client.quit()
    await wire.server.close()
  })

  const send = (...texts: string[]): void => {
    for (const text of texts) client.do({ do: 'send', data: { do: 'echo', text } })
  }

  it('sends messages and receives acks', async () => {
    send('one', 'two', 'three')
    await expect.poll(() => client.all('acked').at(-1)).toEqual({ event: 'acked', upTo: 3 })
    expect(wire.handled).toEqual(['one', 'two', 'three'])
    expect(client.messages()).toEqual([{ echo: 'one' }, { echo: 'two' }, { echo: 'three' }])
  })

  it('receives an error for each rejected message', async () => {
    send('one')
    client.do({ do: 'send', data: { do: 'fail' } })
    client.do({ do: 'send', data: { do: 'nonsense' } })
    await expect.poll(() => client.all('acked').at(-1)).toEqual({ event: 'acked', upTo: 3 })
    expect(client.all('error')).toEqual([
      { event: 'error', number: 2, status: 409, code: 'CONFLICT' },
      { event: 'error', number: 3, status: 400, code: 'INVALID_REQUEST' },
    ])
  })

  it('resumes after a disconnect without lost or duplicate messages', async () => {
    send('one')
    await expect.poll(() => client.all('acked')).toHaveLength(1)
    for (let round = 1; round <= 3; round++) {
      client.do({ do: 'cut' })
      send(`during ${round}`)
      await wire.publish(`away ${round}`)
      await expect.poll(() => client.all('acked').at(-1)).toEqual({ event: 'acked', upTo: round + 1 })
      await expect.poll(() => client.messages()).toHaveLength(1 + round * 2)
    }
    expect(client.all('open').map(({ resumed }) => resumed)).toEqual([false, true, true, true])
    expect(wire.handled).toEqual(['one', 'during 1', 'during 2', 'during 3'])
    const rooms = client.all('message').filter(({ room }) => room === 'lobby')
    expect(rooms.map(({ data }) => data)).toEqual([{ said: 'away 1' }, { said: 'away 2' }, { said: 'away 3' }])
    expect(client.all('gap')).toEqual([])
  })

  it('receives a gap for lost messages', async () => {
    const missed = REPLAY_MESSAGES + 6
    client.do({ do: 'send', data: { do: 'on-close', messages: missed } })
    await expect.poll(() => client.all('acked')).toHaveLength(1)
    client.do({ do: 'cut' })
    await expect.poll(() => client.messages().length).toBe(REPLAY_MESSAGES)
    expect(client.all('gap')).toEqual([{ event: 'gap', room: null, from: 0, to: missed - REPLAY_MESSAGES }])
    expect(client.messages()).toEqual([7, 8, 9, 10].map((n) => ({ missed: n })))
  })
})

function startClient(url: string): WireClient {
  const child: ChildProcess = spawn(PYTHON ?? '', [CLIENT, url], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const events: WireEvent[] = []
  if (child.stdout !== null)
    createInterface(child.stdout).on('line', (line) => events.push(JSON.parse(line) as WireEvent))
  const all = (event: string): WireEvent[] => events.filter((one) => one.event === event)
  return {
    events,
    all,
    messages: () => all('message').map(({ data }) => data),
    do: (command) => void child.stdin?.write(`${JSON.stringify(command)}\n`),
    async quit() {
      child.stdin?.end()
      const [code] = await exited
      return code
    },
  }
}
