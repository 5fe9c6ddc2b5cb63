import { createServer } from 'node:http'
import { once } from 'node:events'
import { createDatabaseOn, type Postgres, startPostgres } from './postgres.ts'

const VARIABLE = 'SDK_TEST_POSTGRES'

/** An empty database for this test file, on the one server that all files of a run share. */
export async function createDatabase(): Promise<string> {
  const door = process.env[VARIABLE]
  if (door === undefined) throw new Error('createDatabase() works in tests that vitest runs')
  const response = await fetch(door)
  const answer = await response.text()
  if (!response.ok) throw new Error(answer)
  return createDatabaseOn(answer)
}

/**
 * Serves the URL of a PostgreSQL server to `createDatabase`. The server starts with the first request, so that a run
 * without a database does not pay for it.
 */
export async function sharePostgres(): Promise<() => Promise<void>> {
  // vitest calls once for itself and once for each project.
  if (process.env[VARIABLE] !== undefined) return () => Promise.resolve()
  let postgres: Promise<Postgres> | undefined
  const door = createServer((_request, response) => {
    postgres ??= startPostgres()
    postgres.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  const address = door.address()
  if (address === null || typeof address === 'string') throw new Error('No TCP port was given')
  process.env[VARIABLE] = `http://127.0.0.1:${address.port}`
  return async () => {
    door.close()
    await (await postgres)?.stop()
  }
}
