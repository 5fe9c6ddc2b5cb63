import type { ClientBase, Pool } from 'pg'

/** The SQLSTATE for a write on a read-only connection. */
const READ_ONLY = '25006'

/**
 * Closes connections on which the server has rejected a write because it is read-only, for example a standby after a
 * failover. The setting belongs to the connection, which would otherwise reject writes for as long as it is used.
 */
export function closeReadOnlyConnections(pool: Pool): void {
  const readOnly = new WeakSet<ClientBase>()
  pool.on('connect', (client) => {
    // Called before the driver reports the error, whose handler may release the connection immediately.
    client.connection.prependListener('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) readOnly.add(client)
    })
  })
  // The pool then removes the connection.
  pool.on('release', (_error, client) => {
    if (readOnly.has(client)) void client.end()
  })
}
