import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createResource } from './resource.ts'
import { memoryStore } from '../resource/memory-store.ts'
import { createRouter, type Router, type RoutesOf } from './router.ts'
import { createSocket } from './socket.ts'

interface Tree {
  readonly inner: readonly Tree[]
}

describe('createRouter', () => {
  it('types all routes, in any order', () => {
    const _router = createRouter()
      .on('GET /api/status', () => 'ok')
      .use('/api/*', (_ctx, next) => next())
      .socket('/ws/chat', createSocket({}))
      .resource('v1', createResource('notes', { schema: z.object({}), store: memoryStore(), access: 'public' }))
      .mount('/api/none', createRouter())
      .on('POST /api/last', (_ctx, input: { id: number }) => input.id)
    type Known = RoutesOf<typeof _router>
    type Notes = `${'GET' | 'POST'} /api/v1/notes` | `${'GET' | 'PUT' | 'PATCH' | 'DELETE'} /api/v1/notes/:id`
    expectTypeOf<keyof Known>().toEqualTypeOf<'GET /api/status' | '/ws/chat' | Notes | 'POST /api/last'>()
    expectTypeOf<Known['GET /api/status']['~io']['output']>().toEqualTypeOf<string>()
    expectTypeOf<Known['POST /api/last']['~io']['input']>().toEqualTypeOf<{ id: number }>()
  })

  it('types dates as strings, as in JSON', () => {
    interface User {
      name: string
      createdAt: Date
      tags?: readonly string[]
    }
    const news = z.object({ at: z.date() })
    const _router = createRouter()
      .on('GET /api/users', async () => ({ users: [] as User[], tree: null as Tree | null }))
      .on('GET /api/when', { output: news, handler: () => ({ at: new Date() }) })
      .on('GET /api/any', () => JSON.parse('1') as unknown)
      .socket('/ws/news', createSocket({ send: news }))
    type Known = RoutesOf<typeof _router>
    type Serialized = { name: string; createdAt: string; tags?: readonly string[] }
    expectTypeOf<Known['GET /api/users']['~io']['output']['users']>().toEqualTypeOf<Serialized[]>()
    expectTypeOf<NonNullable<Known['GET /api/users']['~io']['output']['tree']>['inner']>().toExtend<
      readonly unknown[]
    >()
    expectTypeOf<Known['GET /api/when']['~io']['output']>().toEqualTypeOf<{ at: string }>()
    expectTypeOf<Known['GET /api/any']['~io']['output']>().toBeUnknown()
    expectTypeOf<Known['/ws/news']['~io']['receive']>().toEqualTypeOf<{ at: string }>()
  })

  it('types values that JSON cannot represent as clients receive them', () => {
    class Price {
      readonly amount = 1
      format(): string {
        return ''
      }
      toJSON(): { amount: number; at: Date } {
        return { amount: this.amount, at: new Date() }
      }
    }
    class Point {
      readonly x: number = 1
      length(): number {
        return this.x
      }
    }
    const _router = createRouter()
      .on('GET /api/one', () => [{ id: 1 }].find(({ id }) => id === 2))
      .on('GET /api/nothing', () => {})
      .on('GET /api/chunks', async function* () {
        yield undefined as string | undefined
      })
      .on('GET /api/list', () => [undefined, new Date()] as [number | undefined, Date])
      .on('GET /api/price', () => ({ price: new Price() }))
      .on('GET /api/point', () => ({ point: new Point() }))
      .on('GET /api/map', () => ({ map: new Map([['a', 1]]), set: new Set([1]) }))
    type Output<Name extends keyof RoutesOf<typeof _router>> = RoutesOf<typeof _router>[Name]['~io']['output']
    expectTypeOf<Output<'GET /api/one'>>().toEqualTypeOf<{ id: number } | null>()
    expectTypeOf<Output<'GET /api/nothing'>>().toEqualTypeOf<null>()
    expectTypeOf<Output<'GET /api/chunks'>>().toEqualTypeOf<string | null>()
    expectTypeOf<Output<'GET /api/list'>>().toEqualTypeOf<[number | null, string]>()
    expectTypeOf<Output<'GET /api/price'>>().toEqualTypeOf<{ price: { amount: number; at: string } }>()
    expectTypeOf<Output<'GET /api/point'>>().toEqualTypeOf<{ point: { readonly x: number; length: undefined } }>()
    expectTypeOf<Output<'GET /api/map'>>().toEqualTypeOf<{ map: {}; set: {} }>()
  })

  it('types every result that the server streams, and results that may be a Response', () => {
    const chunks = async function* () {
      yield { at: new Date() }
    }
    const _router = createRouter()
      .on('GET /api/generator', function* () {
        yield { at: new Date() }
      })
      .on('GET /api/stream', () => new ReadableStream<{ at: Date }>())
      .on('GET /api/either', ({ query }) => (query['all'] === undefined ? { at: new Date() } : chunks()))
      .on('GET /api/response', ({ query }) => (query['old'] === undefined ? { at: new Date() } : new Response('')))
      .on('GET /api/thrown', () => {
        throw new Error('not implemented')
      })
    type IO<Name extends keyof RoutesOf<typeof _router>> = RoutesOf<typeof _router>[Name]['~io']
    expectTypeOf<IO<'GET /api/generator'>['output']>().toEqualTypeOf<{ at: string }>()
    expectTypeOf<IO<'GET /api/generator'>['stream']>().toEqualTypeOf<true>()
    expectTypeOf<IO<'GET /api/stream'>['output']>().toEqualTypeOf<{ at: string }>()
    expectTypeOf<IO<'GET /api/stream'>['stream']>().toEqualTypeOf<true>()
    expectTypeOf<IO<'GET /api/either'>['output']>().toEqualTypeOf<{ at: string }>()
    expectTypeOf<IO<'GET /api/either'>['stream']>().toEqualTypeOf<boolean>()
    expectTypeOf<IO<'GET /api/response'>['output']>().toBeUnknown()
    expectTypeOf<IO<'GET /api/response'>['stream']>().toEqualTypeOf<false>()
    expectTypeOf<IO<'GET /api/thrown'>['stream']>().toEqualTypeOf<false>()
  })

  it('types a result with a media type as clients read it', () => {
    const anyType: string = 'text/csv'
    const _router = createRouter()
      .on('GET /api/csv', { content: 'text/csv; charset=utf-8', handler: () => 'a,b' })
      .on('GET /api/poem', {
        content: 'text/plain',
        async *handler() {
          yield 'tea'
        },
      })
      .on('GET /api/image', { content: 'image/png', handler: () => new Uint8Array() })
      .on('GET /api/text', { content: 'application/json', handler: () => '{}' })
      .on('GET /api/any', { content: anyType, handler: () => '{}' })
    type IO<Name extends keyof RoutesOf<typeof _router>> = RoutesOf<typeof _router>[Name]['~io']
    type Chunks = { output: string; stream: true; input: unknown; query: Record<string, string> }
    expectTypeOf<IO<'GET /api/csv'>>().toEqualTypeOf<Chunks>()
    expectTypeOf<IO<'GET /api/poem'>>().toEqualTypeOf<Chunks>()
    expectTypeOf<IO<'GET /api/image'>['output']>().toEqualTypeOf<Blob>()
    expectTypeOf<IO<'GET /api/image'>['stream']>().toEqualTypeOf<false>()
    expectTypeOf<IO<'GET /api/text'>['output']>().toBeUnknown()
    expectTypeOf<IO<'GET /api/text'>['stream']>().toEqualTypeOf<false>()
    expectTypeOf<IO<'GET /api/any'>['output']>().toBeUnknown()
    expectTypeOf<IO<'GET /api/any'>['stream']>().toEqualTypeOf<boolean>()
  })

  it('has the routes of a key, whose fields a PUT may omit', () => {
    const schema = z.object({ articleId: z.int(), slugText: z.string(), body: z.string() })
    const rules = { schema, store: memoryStore(), access: 'public' } as const
    const assign = () => ({ ownerId: 'a' })
    const _router = createRouter()
      .resource('v1', createResource('notes', { ...rules, key: 'slugText' }))
      .resource('v1', createResource('marks', { ...rules, assign, key: ['articleId', 'ownerId'] }))
    type Known = RoutesOf<typeof _router>
    type Note = Known['GET /api/v1/notes/by-slug-text/:slugText']['~io']['output']
    expectTypeOf<Note>().toEqualTypeOf<Known['GET /api/v1/notes/:id']['~io']['output']>()
    type Put = Known['PUT /api/v1/notes/by-slug-text/:slugText']['~io']['input']
    expectTypeOf<Put>().toEqualTypeOf<{ articleId: number; body: string; slugText?: string }>()
    expectTypeOf<
      Extract<keyof Known, `${string} /api/v1/marks/by-${string}`>
    >().toEqualTypeOf<`${'GET' | 'PUT' | 'PATCH' | 'DELETE'} /api/v1/marks/by-article-id-owner-id/:articleId`>()
    // @ts-expect-error -- not a field
    createResource('notes', { ...rules, key: 'nope' })
    // @ts-expect-error -- not a field
    createResource('notes', { ...rules, assign, key: ['articleId', 'nope'] })
  })

  it('can extend a router of type Router', () => {
    const _more = (router: Router) => router.on('GET /api/more', () => 1)
    expectTypeOf<keyof RoutesOf<ReturnType<typeof _more>>>().toEqualTypeOf<'GET /api/more'>()
  })

  it('types a handler by the schemas and by the path', () => {
    createRouter()
      .on('POST /api/:id', {
        input: z.object({ size: z.coerce.number<string>() }),
        output: z.object({ id: z.string() }),
        handler: ({ params }, input) => {
          expectTypeOf(input).toEqualTypeOf<{ size: number }>()
          expectTypeOf(params.id).toEqualTypeOf<string>()
          return { id: params.id }
        },
      })
      // @ts-expect-error -- id must be a string
      .on('GET /api/:id', { output: z.object({ id: z.string() }), handler: () => ({ id: 7 }) })
      // @ts-expect-error -- the path has no such parameter
      .on('PUT /api/:id', ({ params }) => params.name)
  })
})

describe('mount', () => {
  it('prefixes the routes of the inner router', () => {
    const inner = createRouter()
      .on('GET|PUT /', () => ({ all: 1 }))
      .on('POST /:id', () => ({ one: 1 }))
    const _router = createRouter()
      .on('GET /api/status', () => 'ok')
      .mount('/api/inner', inner)
    type Known = RoutesOf<typeof _router>
    expectTypeOf<keyof Known>().toEqualTypeOf<
      'GET /api/status' | 'GET /api/inner' | 'PUT /api/inner' | 'POST /api/inner/:id'
    >()
    expectTypeOf<Known['PUT /api/inner']['~io']['output']>().toEqualTypeOf<{ all: number }>()
  })

  it('joins paths with one slash', () => {
    const inner = createRouter()
      .on('GET /', () => 1)
      .on('GET /a', () => 1)
    const _root = createRouter().mount('/', inner)
    expectTypeOf<keyof RoutesOf<typeof _root>>().toEqualTypeOf<'GET /' | 'GET /a'>()
    const _api = createRouter().mount('/api', createRouter().mount('/', inner))
    expectTypeOf<keyof RoutesOf<typeof _api>>().toEqualTypeOf<'GET /api' | 'GET /api/a'>()
  })
})
