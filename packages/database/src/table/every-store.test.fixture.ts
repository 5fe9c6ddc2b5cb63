import { createApp, createResource, createRouter, type App, type StoreSource } from '@sdk/server'
import { z } from 'zod'

/** The body of a response: a row, a page or an error. */
type Body = Readonly<Record<string, unknown>>

interface Answer {
  readonly status: number
  readonly body: Body
  readonly etag: string | null
}

/** The options of a request, in addition to its method and path. */
interface Parts {
  /** The id of the user, or '' for an anonymous request. */
  readonly as: string
  /** The JSON body. */
  readonly body?: string
  readonly match?: string
}

const PATH = '/api/v1/things'

/** An app with one resource on one store. Rows are identified by creation order, since ids in databases have gaps. */
export class Site {
  readonly #app: App
  readonly #ids: number[] = []

  constructor(store: StoreSource) {
    const router = createRouter().use('/api/*', session).resource('v1', createThings(store))
    this.#app = createApp({ log: SILENT, rateLimit: false, router })
  }

  /** The ids of all created rows. */
  get ids(): readonly number[] {
    return this.#ids
  }

  async send(method: string, place: string, { as, body, match }: Parts): Promise<Answer> {
    const headers = {
      ...(as !== '' && { authorization: `Bearer ${as}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(match !== undefined && { 'if-match': match }),
    }
    const init = { method, headers, ...(body !== undefined && { body }) }
    const response = await this.#app.fetch(new Request(`http://localhost${PATH}${place}`, init))
    const answer = {
      status: response.status,
      body: (await response.json()) as Body,
      etag: response.headers.get('etag'),
    }
    if (method === 'POST' && answer.status === 201) this.#ids.push(Number(answer.body['id']))
    return answer
  }

  /** Returns the path of a row by its position in the creation order. */
  placeOf(turn: number): string {
    return `/${this.#ids[turn % Math.max(1, this.#ids.length)] ?? 999_999}`
  }

  /** Returns a response without the values that differ between stores: ids, times and cursors. */
  toPlain({ status, body }: Answer): unknown {
    const { data, pagination, error } = body as { data?: Body[]; pagination?: Body; error?: Body }
    if (error !== undefined) return { status, error }
    if (data === undefined || pagination === undefined) return { status, row: this.#toRow(body) }
    const { nextCursor: _next, prevCursor, ...rest } = pagination
    return { status, rows: data.map((row) => this.#toRow(row)), hasPrevious: prevCursor !== null, ...rest }
  }

  #toRow({ id, createdAt, updatedAt, ...fields }: Body): Body {
    return { ...fields, turn: this.#ids.indexOf(Number(id)), isFresh: createdAt === updatedAt }
  }
}

/**
 * Creates a resource with fields of every type, whose rows belong to their creator. `root` has access to all rows,
 * `pair` to those of two users, `flagged` to those with a flag, and `none` to none. Anonymous users can only read.
 */
function createThings(store: StoreSource) {
  return createResource('things', {
    schema: z.object({
      text: z.string().max(50),
      long: z.string().nullable().optional(),
      number: z.number().nullable().optional(),
      whole: z.int().nullable().optional(),
      flag: z.boolean().nullable().optional(),
      at: z.iso.datetime({ offset: true }).nullable().optional(),
      day: z.iso.date().nullable().optional(),
      size: z.int().default(7),
      meta: z.record(z.string(), z.json()).nullable().optional(),
    }),
    store,
    access({ user, action }) {
      if (user === null) return action === 'list' || action === 'get'
      if (user.id === 'root') return true
      if (user.id === 'pair') return { ownerId: ['ada', 'pair'] }
      if (user.id === 'flagged') return { flag: true, ownerId: ['ada', 'bob', 'flagged'] }
      return user.id === 'none' ? { day: null, ownerId: [] } : { ownerId: user.id }
    },
    assign: ({ user }) => ({ ownerId: user.id }),
    filter: ['text', 'long', 'number', 'whole', 'flag', 'at', 'day', 'size'],
    sort: ['text', 'number', 'whole', 'flag', 'at', 'day', 'size'],
    unique: [['text', 'whole'], 'long', ['ownerId', 'day']],
  })
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** Session middleware whose tokens are user ids. */
const session = Object.assign(<T>(_ctx: unknown, next: () => T): T => next(), {
  authenticate(headers: { get(name: string): string | null }) {
    const [, id] = (headers.get('authorization') ?? '').split(' ')
    return Promise.resolve(id === undefined ? null : toAuth(id))
  },
  trusts: () => false,
})

function toAuth(id: string) {
  const [long, expiresAt] = ['2000-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z']
  const profile = { email: `${id}@example.test`, emailVerified: true, image: null, createdAt: long, updatedAt: long }
  return {
    via: 'bearer' as const,
    session: { id, userId: id, expiresAt },
    getUser: () => Promise.resolve({ id, name: id, ...profile }),
  }
}
