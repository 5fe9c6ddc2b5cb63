import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'

/** A proxy for a PostgreSQL server that counts the statements of its clients. */
export interface StatementCounter {
  /** The URL of the database behind the proxy. */
  readonly url: string
  /** The number of statements that were executed so far, including `begin` and `commit`. */
  count(): number
  close(): void
}

/** Starts a proxy that counts statements. */
export async function startStatementCounter(url: string): Promise<StatementCounter> {
  const { hostname, port } = new URL(url)
  let count = 0
  const server = createServer((client) => {
    const database = connect({ host: hostname, port: Number(port) })
    const read = createMessageReader((type) => {
      if (type === 'E' || type === 'Q') count++ // Execute, or a simple Query
    })
    client.on('data', read)
    client.pipe(database).pipe(client)
    for (const socket of [client, database]) {
      socket.on('error', () => {}) // a killed server
      socket.on('close', () => [client, database].forEach((one) => one.destroy()))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxied = new URL(url)
  proxied.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: proxied.href, count: () => count, close: () => server.close() }
}

/** Calls back with the type of every message that a client sends. */
function createMessageReader(onMessage: (type: string) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0)
  let typeLength = 0 // the first message has no type
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= typeLength + 4) {
      const end = typeLength + rest.readUInt32BE(typeLength)
      if (rest.length < end) return
      if (typeLength === 1) onMessage(String.fromCodePoint(rest[0] ?? 0))
      rest = rest.subarray(end)
      typeLength = 1
    }
  }
}
