import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Reply } from '../http/call.ts'
import { STAMP_NAMES, wholeHeaders } from '../http/stamp.ts'

/** Writes the head of an answer whose body has `length` bytes; without a length, its end is not known yet. */
export type HeadWriter = (response: ServerResponse, reply: Reply, length?: number) => void

/** Lets Node write heads: right everywhere. */
export const nodesHead: HeadWriter = (response, reply, length) => {
  const headers = wholeHeaders(reply)
  if (length !== undefined) headers['content-length'] = String(length)
  response.writeHead(reply.status, headers)
}

/**
 * Writes heads for a server that keeps idle connections for so many seconds.
 *
 * Node checks each header of each answer anew and puts the head together piece by piece, which takes a tenth of the
 * time of a small request. So where nothing is unusual (see `headOf`) the head is ours: what a handler set is checked,
 * and our own lines are ready made. Everything else is left to Node.
 */
export function createHeadWriter(keepAlive: number): HeadWriter {
  if (!CAN_SET_HEAD) return nodesHead
  const end = `connection: keep-alive\r\nkeep-alive: timeout=${keepAlive}\r\n\r\n`
  return (response, reply, length) => {
    const head = length === undefined || !isPersistent(response) ? null : headOf(reply, length)
    if (head === null) return nodesHead(response, reply, length)
    response.statusCode = reply.status
    // Written plainly, since Reflect.set takes as long as the rest of this function.
    ;(response as unknown as { _header: string })._header = head + dateLine() + end
  }
}

/** Does a response of this Node keep its head where ours is put? It has done so since its first versions. */
const CAN_SET_HEAD = ((): boolean => {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  response.writeHead(200)
  const head: unknown = Reflect.get(response, '_header')
  return typeof head === 'string' && head.startsWith('HTTP/1.1 200 OK\r\n') && head.endsWith('\r\n\r\n')
})()

const JSON_LINE = 'content-type: application/json\r\n'

/** Node knows best how a connection ends, and how to speak to old callers. */
function isPersistent({ shouldKeepAlive, req }: ServerResponse): boolean {
  return shouldKeepAlive && req.httpVersionMinor === 1
}

/** The head of an answer, up to what is the connection's; null where Node has to see to it. */
function headOf({ status, headers, stamp }: Reply, length: number): string | null {
  const reason = STATUS_CODES[status]
  if (reason === undefined || stamp === undefined) return null
  let own = ''
  for (const name in headers) {
    const value = headers[name]
    if (name === 'content-type' && value === 'application/json') own += JSON_LINE
    else if (isPlain(name, value)) own += `${name}: ${value}\r\n`
    else return null
  }
  return `HTTP/1.1 ${status} ${reason}\r\n${own}content-length: ${length}\r\n${stamp}`
}

/** Names with a meaning for the connection; Node acts on them. */
const NODES_OWN = new Set([
  'connection',
  'content-length',
  'date',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** A header that may be written as it is: nobody else says it, and nothing in it could begin another line. */
function isPlain(name: string, value: string | string[] | undefined): value is string {
  return (
    typeof value === 'string' &&
    /^[a-z][a-z0-9-]*$/.test(name) &&
    /^[\t\x20-\x7e]*$/.test(value) &&
    !NODES_OWN.has(name) &&
    !STAMP_NAMES.has(name)
  )
}

let dateSecond = 0
let date = ''

/** Made once a second. */
function dateLine(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = `date: ${new Date(second * 1000).toUTCString()}\r\n`
  }
  return date
}
