import { connect, type Socket } from 'node:net'
import type { Client, ClientBase, Pool } from 'pg'

interface DriverConnection extends Pick<Client, 'connection' | 'host' | 'port'> {
  readonly readyForQuery?: boolean
  readonly processID?: number | null
  readonly secretKey?: number | null
}

/** How long a statement may run without a reply, in ms, unless the URL specifies a different timeout. */
export const STATEMENT_TIMEOUT_MS = 30_000

/** Connections that have no timeout, because they are altering tables. */
const exemptClients = new WeakSet<ClientBase>()

/** Disables the timeout of a connection until it is returned to the pool. */
export function disableTimeout(client: ClientBase): void {
  exemptClients.add(client)
}

/**
 * Closes a connection if its statement receives no reply for `ms`, because it is waiting for a lock or because the
 * server is gone. A few such connections would block the entire pool. 0 disables the timeout.
 */
export function enforceStatementTimeout(pool: Pool, ms: number): void {
  if (ms === 0) return
  pool.on('release', (_error, client) => void exemptClients.delete(client))
  pool.on('connect', (client) => {
    const socket = client.connection.stream as Socket
    socket.setTimeout(ms).on('timeout', () => {
      if (!exemptClients.has(client)) abortStatement(client, toTimeoutError(ms))
    })
  })
}

/** Cancels the running statement of a connection, and closes the connection. */
export function abortStatement(client: ClientBase, error: Error): void {
  const connection = client as ClientBase & DriverConnection
  // An idle connection is not waiting for the server, even inside a transaction.
  if (connection.readyForQuery === true) return
  cancelStatement(connection)
  ;(connection.connection.stream as Socket).destroy(error)
}

/** Creates the error for a statement that received no reply. */
export function toTimeoutError(ms: number): Error {
  return Object.assign(new Error(`no response within ${ms} ms`), { code: 'ETIMEDOUT' })
}

/**
 * Sends a CancelRequest, since a statement that is waiting for a lock does not notice a closed connection. The request
 * is not encrypted, as in libpq: its key is only valid for this connection, which is being closed.
 */
function cancelStatement({ host, port, processID, secretKey }: DriverConnection): void {
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return
  const request = Buffer.alloc(16)
  for (const [at, value] of [16, CANCEL_REQUEST_CODE, processID, secretKey].entries())
    request.writeInt32BE(value, at * 4)
  const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
  socket.on('error', () => {}) // the server may be gone
  socket.setTimeout(5_000, () => socket.destroy()).end(request)
}

const CANCEL_REQUEST_CODE = 80_877_102
