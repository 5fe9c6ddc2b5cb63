import { DEPTHS, ROWS, SORTS, type Sort } from './rows.ts'

/** The path of the tasks. */
const PATH = '/api/v1/tasks'

/** A repeated request. */
export interface Case {
  readonly method: string
  /** Returns the n-th request; no two writes are the same. */
  readonly url: (n: number) => string
  readonly body?: (n: number) => unknown
  /** Returns additional headers of the n-th request. */
  readonly headers?: (n: number) => Readonly<Record<string, string>>
  readonly status: number
}

/** The cursors of a server for the depths of each order. */
export type Cursors = Readonly<Record<Sort, readonly string[]>>

/** Returns the cases that read pages at their depths. */
export function depthCases(cursors: Cursors): Record<string, Case> {
  const cases: Record<string, Case> = {}
  for (const sort of SORTS) {
    for (const [at, depth] of DEPTHS.entries())
      cases[depthName(sort, depth)] = page({ sort, cursor: cursors[sort][at] ?? '' })
  }
  return cases
}

/** Returns the name of such a case. */
export function depthName(sort: Sort, depth: number): string {
  return `${sort} behind ${depth.toLocaleString('en')}`
}

/** The cases that write and read. */
export const CASES: Readonly<Record<string, Case>> = {
  read: { method: 'GET', url: (n) => `${PATH}/${scattered(n)}`, status: 200 },
  list: page({ limit: '20' }),
  'filtered list': page({ done: 'false', sort: '-priority' }),
  create: {
    method: 'POST',
    url: () => PATH,
    body: (n) => ({ title: `Buy milk for the ${n}th time`, priority: (n % 5) + 1 }),
    status: 201,
  },
  update: {
    method: 'PATCH',
    url: (n) => `${PATH}/${scattered(n)}`,
    body: (n) => ({ title: `Changed for the ${n}th time` }),
    status: 200,
  },
}

/** Returns the n-th request of a case as it is sent. */
export function toRequest({ method, url, body, headers }: Case, n: number): Buffer {
  let head = `${method} ${url(n)} HTTP/1.1\r\nHost: 127.0.0.1\r\n`
  for (const [name, value] of Object.entries(headers?.(n) ?? {})) head += `${name}: ${value}\r\n`
  if (body === undefined) return Buffer.from(`${head}\r\n`)
  const text = JSON.stringify(body(n))
  return Buffer.from(
    `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}

function page(query: Record<string, string>): Case {
  const url = `${PATH}?${new URLSearchParams(query)}`
  return { method: 'GET', url: () => url, status: 200 }
}

/** Returns ids distributed over the whole table. */
function scattered(n: number): number {
  return ((n * 7919) % ROWS) + 1
}
