import { text } from 'node:stream/consumers'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { PASS_HEADER } from '../load/impersonation.ts'
import { isAllowedHost } from '../dev/allowed-hosts.ts'
import { isSamePass, type DevServerInfo } from '../dev/dev-server-info.ts'
import { Failure } from '../failure.ts'
import type { SqlRow } from '../database-package.ts'
import type { SqlStatement } from './query-database.ts'

/** The path that `sdk sql` sends statements to, since only the dev server itself can open its embedded database. */
const SQL_PATH = '/_sdk/sql'

interface SqlResponse {
  readonly rows?: SqlRow[]
  readonly error?: Pick<Failure, 'message' | 'fix' | 'code'>
}

/** A function that handles requests from `sdk sql`. It returns false for all other requests. */
export type SqlHandler = (request: IncomingMessage, response: ServerResponse) => boolean

interface SqlAccess {
  readonly pass: string
  /** The address that the dev server listens on. */
  readonly host: string
}

/**
 * Creates a handler for requests that contain the secret, come from this machine, and use a local host name. Requests
 * from pages, which browsers mark with headers, are always rejected.
 */
export function createSqlHandler(
  { pass, host }: SqlAccess,
  runStatement: (statement: SqlStatement) => Promise<readonly SqlRow[]>,
): SqlHandler {
  return (request, response) => {
    if (request.url !== SQL_PATH) return false
    void respond(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      response.end(JSON.stringify(body))
    })
    return true
  }

  async function respond(request: IncomingMessage): Promise<{ status: number; body: object }> {
    if (!isAllowed(request)) return { status: 403, body: { error: { message: `${SQL_PATH} is reserved for sdk sql` } } }
    try {
      return { status: 200, body: { rows: await runStatement(JSON.parse(await text(request)) as SqlStatement) } }
    } catch (error) {
      const { message, fix, code } =
        error instanceof Failure ? error : new Failure(String(error), { code: 'SQL_FAILED' })
      return { status: 400, body: { error: { message, fix, code } } }
    }
  }

  function isAllowed({ method, headers, socket }: IncomingMessage): boolean {
    const isPage = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
    const isOwnHost = isAllowedHost(headers.host ?? '', { host })
    const hasPass = isSamePass(String(headers[PASS_HEADER] ?? ''), pass)
    return method === 'POST' && isLocalConnection(socket) && isOwnHost && !isPage && hasPass
  }
}

/** Returns whether a connection is local. A local connection to a network address has that address at both ends. */
function isLocalConnection({ remoteAddress = '', localAddress }: IncomingMessage['socket']): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress) || (remoteAddress !== '' && remoteAddress === localAddress)
}

/** Sends a statement to a dev server. Returns null if the server has stopped, even if its port has been reused. */
export async function queryDevServer(info: DevServerInfo, statement: SqlStatement): Promise<SqlRow[] | null> {
  const headers = { 'content-type': 'application/json', [PASS_HEADER]: info.pass }
  const init = { method: 'POST', headers, body: JSON.stringify(statement) }
  const answer = await fetch(new URL(SQL_PATH, info.url), init)
    .then((response) => response.json() as Promise<SqlResponse>)
    .catch(() => null)
  if (answer === null || answer.rows !== undefined) return answer?.rows ?? null
  const { message = 'the dev server did not respond', fix, code = 'SQL_FAILED' } = answer.error ?? {}
  throw new Failure(message, { code, fix })
}
