import { text } from 'node:stream/consumers'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { PASS_HEADER } from '../load/impersonation.ts'
import { isSamePass, type DevNote } from '../dev/dev-server-info.ts'
import { Failure } from '../failure.ts'
import type { SqlQuestion, SqlRow } from './query-database.ts'

/** Where a dev server takes statements of `sdk sql`: while it runs, no other process can open its embedded database. */
const PATH = '/_sdk/sql'

type Ask = (question: SqlQuestion) => Promise<readonly SqlRow[]>

interface Answer {
  readonly rows?: SqlRow[]
  readonly error?: Pick<Failure, 'message' | 'fix' | 'code'>
}

/** Answers requests of `sdk sql`; returns false for all others. */
export type SqlDoor = (request: IncomingMessage, response: ServerResponse) => boolean

/**
 * Lets in requests with the pass that come from this machine and not from a page. A page never learns the pass, and
 * browsers mark its requests.
 */
export function createSqlDoor(pass: string, ask: Ask): SqlDoor {
  return (request, response) => {
    if (request.url !== PATH) return false
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      response.end(JSON.stringify(body))
    })
    return true
  }

  async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    if (!isAllowed(request, pass)) return { status: 403, body: { error: { message: `${PATH} is for sdk sql` } } }
    try {
      return { status: 200, body: { rows: await ask(JSON.parse(await text(request)) as SqlQuestion) } }
    } catch (error) {
      const { message, fix, code } =
        error instanceof Failure ? error : new Failure(String(error), { code: 'SQL_FAILED' })
      return { status: 400, body: { error: { message, fix, code } } }
    }
  }
}

function isAllowed({ method, headers, socket }: IncomingMessage, pass: string): boolean {
  const isPage = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
  return method === 'POST' && isNear(socket) && !isPage && isSamePass(String(headers[PASS_HEADER] ?? ''), pass)
}

/** Is it a connection of this machine to itself? By an address of the network, it has the same at both ends. */
function isNear({ remoteAddress = '', localAddress }: IncomingMessage['socket']): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress) || (remoteAddress !== '' && remoteAddress === localAddress)
}

/** Asks the running dev server; null where it has ended meanwhile, even if another process listens there now. */
export async function askDevServer(note: DevNote, question: SqlQuestion): Promise<SqlRow[] | null> {
  const headers = { 'content-type': 'application/json', [PASS_HEADER]: note.pass }
  const sent = { method: 'POST', headers, body: JSON.stringify(question) }
  const answer = await fetch(new URL(PATH, note.url), sent)
    .then((response) => response.json() as Promise<Answer>)
    .catch(() => null)
  if (answer === null) return null
  const { rows, error } = answer
  if (rows !== undefined) return rows
  const { message = 'the dev server did not answer', fix, code = 'SQL_FAILED' } = error ?? {}
  throw new Failure(message, { code, fix })
}
