import { createServer } from 'node:http'
import { once } from 'node:events'
import { createDatabaseOn, type Postgres, startPostgres } from './postgres.ts'

const VARIABLE = 'SDK_TEST_POSTGRES'

/** Creates an empty database for this test file, on the server that all test files share. Returns its URL. */
export async function createDatabase(): Promise<string> {
  const address = process.env[VARIABLE]
  if (address === undefined) throw new Error('createDatabase() works only in tests run by vitest')
  const response = await fetch(address)
  const answer = await response.text()
  if (!response.ok) throw new Error(answer)
  return createDatabaseOn(answer)
}

/**
 * Serves the URL of a PostgreSQL server to `createDatabase`. PostgreSQL starts on the first request, so it is not
 * started if no test needs a database. Returns a function that stops both servers.
 */
export async function sharePostgres(): Promise<() => Promise<void>> {
  // Vitest calls this function once for itself and once for each project.
  if (process.env[VARIABLE] !== undefined) return () => Promise.resolve()
  let postgres: Promise<Postgres> | undefined
  const urlServer = createServer((_request, response) => {
    postgres ??= startPostgres()
    postgres.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  urlServer.listen(0, '127.0.0.1')
  await once(urlServer, 'listening')
  const address = urlServer.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP port')
  process.env[VARIABLE] = `http://127.0.0.1:${address.port}`
  return async () => {
    urlServer.close()
    await (await postgres)?.stop()
  }
}
