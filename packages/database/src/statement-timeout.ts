import { connect, type Socket } from 'node:net'
import type { Client, ClientBase, Pool } from 'pg'

/** What the driver has of a connection, beside what its types tell. */
interface DriverConnection extends Pick<Client, 'connection' | 'host' | 'port'> {
  readonly readyForQuery?: boolean
  readonly processID?: number | null
  readonly secretKey?: number | null
}

/** Connections that may be silent, since they change tables. */
const exemptClients = new WeakSet<ClientBase>()

/** Whatever this connection is asked may take as long as it likes, until the pool has it back. */
export function disableTimeout(client: ClientBase): void {
  exemptClients.add(client)
}

/**
 * Gives up connections of a pool on which a statement waits and nothing comes for so many ms: it waits for a lock, or its
 * server is gone without a word. A few of them would stop everybody who needs the pool. 0: they are waited for.
 */
export function enforceStatementTimeout(pool: Pool, ms: number): void {
  if (ms === 0) return
  pool.on('release', (_error, client) => void exemptClients.delete(client))
  pool.on('connect', (client) => {
    const connection: DriverConnection = client
    const socket = connection.connection.stream as Socket
    socket.setTimeout(ms).on('timeout', () => {
      // One that is in a transaction, and is asked nothing, waits for us.
      if (connection.readyForQuery === true || exemptClients.has(client)) return
      cancelStatement(connection)
      socket.destroy(Object.assign(new Error(`no answer within ${ms} ms`), { code: 'ETIMEDOUT' }))
    })
  })
}

/**
 * Asks the server to end what it does for a connection: who waits for a lock does not see that nobody waits for the answer. In the
 * clear, as clients always did: what is told is good for this alone, and the connection ends here.
 */
function cancelStatement({ host, port, processID, secretKey }: DriverConnection): void {
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return
  const request = Buffer.alloc(16)
  for (const [at, value] of [16, CANCEL_REQUEST_CODE, processID, secretKey].entries())
    request.writeInt32BE(value, at * 4)
  const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
  socket.on('error', () => {}) // a server that is gone does nothing for anybody
  socket.setTimeout(5_000, () => socket.destroy()).end(request)
}

/** The code of the protocol for such a request. */
const CANCEL_REQUEST_CODE = 80_877_102
