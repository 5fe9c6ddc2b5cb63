import { connect, type Socket } from 'node:net'
import type { Client, ClientBase, Pool } from 'pg'

/** What the driver has of a connection, beside what its types tell. */
interface Connected extends Pick<Client, 'connection' | 'host' | 'port'> {
  readonly readyForQuery?: boolean
  readonly processID?: number | null
  readonly secretKey?: number | null
}

/** Connections that may be silent, since they change tables. */
const patient = new WeakSet<ClientBase>()

/** Whatever this connection is asked may take as long as it likes, until the pool has it back. */
export function waitFor(client: ClientBase): void {
  patient.add(client)
}

/**
 * Gives up connections of a pool on which a statement waits and nothing comes for so many ms: it waits for a lock, or its
 * server is gone without a word. A few of them would stop everybody who needs the pool. 0: they are waited for.
 */
export function giveUpSilent(pool: Pool, ms: number): void {
  if (ms === 0) return
  pool.on('release', (_error, client) => void patient.delete(client))
  pool.on('connect', (client) => {
    const connected: Connected = client
    const socket = connected.connection.stream as Socket
    socket.setTimeout(ms).on('timeout', () => {
      // One that is in a transaction, and is asked nothing, waits for us.
      if (connected.readyForQuery === true || patient.has(client)) return
      cancel(connected)
      socket.destroy(Object.assign(new Error(`no answer within ${ms} ms`), { code: 'ETIMEDOUT' }))
    })
  })
}

/**
 * Asks the server to end what it does for a connection: who waits for a lock does not see that nobody waits for the answer. In the
 * clear, as clients always did: what is told is good for this alone, and the connection ends here.
 */
function cancel({ host, port, processID, secretKey }: Connected): void {
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return
  const request = Buffer.alloc(16)
  for (const [at, value] of [16, CANCEL, processID, secretKey].entries()) request.writeInt32BE(value, at * 4)
  const line = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
  line.on('error', () => {}) // a server that is gone does nothing for anybody
  line.setTimeout(5_000, () => line.destroy()).end(request)
}

/** The code of the protocol for such a request. */
const CANCEL = 80_877_102
