/** The hooks with a filled registry, which registry.test.ts compiles as a separate program. */
import type { RunState } from '@sdk/frontend'
import type { HasTypes, Page, RouteIO, Run, RunRoutes } from '@sdk/protocol'
import { apiQueryOptions, useAPI, usePages, useSdk, type ApiQueryResult } from '@sdk/react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { expectTypeOf } from 'vitest'

interface Task {
  id: number
  title: string
}

interface Article {
  id: number
  title: string
}

interface ArticleRead<Output, Query> {
  input: undefined
  output: Output
  stream: false
  query: Query
  item: Article
  related: { author: { name: string } | null; commentCount: number }
}

interface NoteRead {
  input: undefined
  output: { notes: { text: string }[]; total: number }
  stream: false
  query: { limit?: number; offset?: number }
}

type Research = HasTypes<{
  input: { question: string }
  output: { text: string }
  stream: true
  query: unknown
  durable: true
}>

declare module '@sdk/protocol' {
  interface Routes {
    'GET /api/v1/tasks': HasTypes<{ input: undefined; output: Page<Task>; stream: false; query: { done?: boolean } }>
    'GET /api/v1/tasks/:id': HasTypes<{ input: undefined; output: Task; stream: false; query: unknown }>
    'GET /api/notes': HasTypes<NoteRead>
    'GET /api/log': HasTypes<{ input: undefined; output: { line: string }; stream: true; query: unknown }>
    'POST /api/v1/tasks': HasTypes<{ input: { title: string }; output: Task; stream: false; query: unknown }>
    'DELETE /api/v1/tasks/:id': HasTypes<{ input: undefined; output: null; stream: false; query: unknown }>
    'POST /agent/summarize': HasTypes<{
      input: { text: string }
      output: { sentence: string }
      stream: true
      query: unknown
    }>
    'POST /agent/research': Research
    'GET /agent/research/runs/:run': RunRoutes<Research>['GET /runs/:run']
    'GET /agent/research/runs/:run/chunks': RunRoutes<Research>['GET /runs/:run/chunks']
    'DELETE /agent/research/runs/:run': RunRoutes<Research>['DELETE /runs/:run']
    'POST /api/v1/tasks/:id/pin': HasTypes<{
      input: { isPinned: boolean }
      output: Task
      stream: false
      query: unknown
    }>
    'GET /api/tree': HasTypes<{ input: undefined; output: string; stream: false; query: { expand: string } }>
    'GET /api/v1/articles': HasTypes<ArticleRead<Page<Article>, { limit?: number }>>
    'GET /api/v1/articles/:id': HasTypes<ArticleRead<Article, {}>>
    [hook: `POST /api/hooks/${string}`]: HasTypes<RouteIO>
  }
}

// A GET route.
export function useList(): void {
  const tasks = useAPI('GET /api/v1/tasks', { query: { done: false }, onSuccess: ({ data }) => data[0]?.title })
  expectTypeOf(tasks.data).toEqualTypeOf<Page<Task> | undefined>()
  expectTypeOf(tasks.refetch).returns.resolves.toEqualTypeOf<Page<Task> | undefined>()
  expectTypeOf(useAPI('GET /api/v1/tasks')).toEqualTypeOf<ApiQueryResult<'GET /api/v1/tasks'>>()
  // @ts-expect-error -- a route that is fetched automatically has no `invoke`
  expectTypeOf(tasks.invoke).toBeAny()
  // @ts-expect-error -- the query has no such member
  useAPI('GET /api/v1/tasks', { query: { nope: 1 } })
  // @ts-expect-error -- an option of the other routes
  useAPI('GET /api/v1/tasks', { invalidates: ['GET /api/v1/tasks'] })
}

// Its params are required, in both forms.
export function useOne(): void {
  expectTypeOf(useAPI('GET /api/v1/tasks/:id', { params: { id: 7 } }).data).toEqualTypeOf<Task | undefined>()
  const one = useAPI({ route: 'GET /api/v1/tasks/:id', params: { id: 7 }, headers: { 'x-tenant': 'a' } })
  expectTypeOf(one.data).toEqualTypeOf<Task | undefined>()
  // @ts-expect-error -- without params
  useAPI('GET /api/v1/tasks/:id')
  // @ts-expect-error -- without params
  useAPI({ route: 'GET /api/v1/tasks/:id' })
  // @ts-expect-error -- the parameter is called id
  useAPI('GET /api/v1/tasks/:id', { params: { ID: 7 } })
}

// `select` determines the type of the data.
export function useTitles(): void {
  const { data, refetch } = useAPI('GET /api/v1/tasks', { select: (page) => page.data.map(({ title }) => title) })
  expectTypeOf(data).toEqualTypeOf<string[] | undefined>()
  expectTypeOf(refetch).returns.resolves.toEqualTypeOf<string[] | undefined>()
  const one = useAPI({ route: 'GET /api/v1/tasks/:id', params: { id: 7 }, select: ({ title }) => title })
  expectTypeOf(one.data).toEqualTypeOf<string | undefined>()
  // @ts-expect-error -- a task has no such member
  useAPI('GET /api/v1/tasks/:id', { params: { id: 7 }, select: ({ nope }) => nope })
}

// Streams: individual chunks, and all chunks as data.
export function useStreams(): void {
  const log = useAPI('GET /api/log', { onChunk: (chunk) => expectTypeOf(chunk).toEqualTypeOf<{ line: string }>() })
  expectTypeOf(log.data).toEqualTypeOf<{ line: string }[] | undefined>()
  const summary = useAPI('POST /agent/summarize', {
    concurrency: 'queue',
    onChunk: (chunk) => expectTypeOf(chunk).toEqualTypeOf<{ sentence: string }>(),
  })
  expectTypeOf(summary.data).toEqualTypeOf<{ sentence: string }[] | undefined>()
  expectTypeOf(summary.invoke).returns.resolves.toEqualTypeOf<{ sentence: string }[]>()
}

// Durable agents have runs and threads; other routes do not.
export function useRuns(): void {
  const research = useAPI('POST /agent/research', {
    thread: 't1',
    onRetract: (keep) => expectTypeOf(keep).toEqualTypeOf<number>(),
  })
  expectTypeOf(research.run).toEqualTypeOf<RunState | null>()
  expectTypeOf(research.data).toEqualTypeOf<{ text: string }[] | undefined>()
  expectTypeOf(useAPI('POST /agent/summarize').run).toEqualTypeOf<null>()
  const { client } = useSdk()
  void client.call('POST /agent/research', { question: 'Why?' }, { thread: 't1', onRetract: () => {} })
  const params = { run: 'r1' }
  const run = client.call('GET /agent/research/runs/:run', { params })
  expectTypeOf(run).resolves.toEqualTypeOf<Run<null, { question: string }>>()
  const chunks = useAPI('GET /agent/research/runs/:run/chunks', { params })
  expectTypeOf(chunks.data).toEqualTypeOf<{ text: string }[] | undefined>()
  expectTypeOf(client.call('DELETE /agent/research/runs/:run', { params })).resolves.toEqualTypeOf<null>()
  // @ts-expect-error -- the agent is not durable
  useAPI('POST /agent/summarize', { thread: 't1' })
  // @ts-expect-error -- the agent is not durable
  void client.call('POST /agent/summarize', { text: 'Tea' }, { thread: 't1' })
  // @ts-expect-error -- a route is not durable
  void client.call('GET /api/v1/tasks', { thread: 't1' })
}

// Routes that are sent by `invoke`.
export function useForm(): void {
  const add = useAPI('POST /api/v1/tasks', {
    invalidates: ['GET /api/v1/tasks'],
    optimistic(cache, input) {
      expectTypeOf(input).toEqualTypeOf<{ title: string }>()
      cache.update('GET /api/v1/tasks', (page) => ({ ...page, data: [{ id: 0, ...input }, ...page.data] }))
      cache.update('GET /api/v1/tasks', (page) => page, { query: { done: true } })
      // @ts-expect-error -- the cache has a page
      cache.update('GET /api/v1/tasks', () => [])
      // @ts-expect-error -- not fetched automatically, so not in the cache
      cache.update('POST /api/v1/tasks', (task) => task)
    },
  })
  expectTypeOf(add.invoke({ title: 'Tea' })).resolves.toEqualTypeOf<Task>()
  void add.invoke({ title: 'Tea' }, { headers: { 'idempotency-key': '1' } })
  // @ts-expect-error -- without a payload
  void add.invoke()
  // @ts-expect-error -- a wrong payload
  void add.invoke({ title: 7 })
  // @ts-expect-error -- there is nothing to refetch
  expectTypeOf(add.refetch).toBeAny()
  // @ts-expect-error -- not fetched automatically
  useAPI('POST /api/v1/tasks', { invalidates: ['POST /agent/summarize'] })
  // @ts-expect-error -- no such option value
  useAPI('POST /api/v1/tasks', { concurrency: 'random' })
}

// Routes without a payload accept only options.
export function useRemoval(): void {
  const remove = useAPI('DELETE /api/v1/tasks/:id', {
    optimistic: (_cache, options) => expectTypeOf(options?.params).toEqualTypeOf<{ id: string | number } | undefined>(),
  })
  expectTypeOf(remove.invoke({ params: { id: 7 } })).resolves.toEqualTypeOf<null>()
  // @ts-expect-error -- the route has no payload
  void remove.invoke(undefined, { params: { id: 7 } })
  // @ts-expect-error -- the parameter is called id
  void remove.invoke({ params: { ID: 7 } })
}

// Pages.
export function useWalk(): void {
  const { items, fetchNext } = usePages('GET /api/v1/tasks', { query: { done: false } })
  expectTypeOf(items).toEqualTypeOf<Task[]>()
  expectTypeOf(fetchNext).toEqualTypeOf<() => void>()
  // @ts-expect-error -- without params
  usePages('GET /api/v1/tasks/:id')
  // @ts-expect-error -- no list is sent by POST
  usePages('POST /api/v1/tasks')
}

// Pages in another format.
export function useOffsets(): void {
  const notes = usePages('GET /api/notes', {
    query: { limit: 5 },
    getNext: ({ total }, count) => (count < total ? { offset: count } : null),
    items: (page) => page.notes,
  })
  expectTypeOf(notes.items).toEqualTypeOf<{ text: string }[]>()
  expectTypeOf(usePages('GET /api/notes', { items: ({ notes: found }) => found.map(({ text }) => text) }).items) //
    .toEqualTypeOf<string[]>()
  // @ts-expect-error -- no such parameter
  usePages('GET /api/notes', { getNext: () => ({ offset: 'x' }) })
  // @ts-expect-error -- no such member
  usePages('GET /api/notes', { items: ({ data }) => data })
}

// Calls without state: the route is not inferred from the options.
export function usePin(id: string): void {
  const { client } = useSdk()
  const pinned = client.call('POST /api/v1/tasks/:id/pin', { isPinned: true }, { params: { id } })
  expectTypeOf(pinned).resolves.toEqualTypeOf<Task>()
  expectTypeOf(client.call('POST /api/hooks/mail')).resolves.toBeUnknown()
  // @ts-expect-error -- a wrong payload
  void client.call('POST /api/v1/tasks/:id/pin', { isPinned: 1 }, { params: { id } })
  // @ts-expect-error -- without params
  void client.call('POST /api/v1/tasks/:id/pin', { isPinned: true })
}

// For the functions of TanStack Query.
export function useLoader(): void {
  const { client } = useSdk()
  const { data } = useSuspenseQuery(apiQueryOptions(client, 'GET /api/v1/tasks', { query: { done: true } }))
  expectTypeOf(data).toEqualTypeOf<Page<Task>>()
  // @ts-expect-error -- without params
  apiQueryOptions(client, 'GET /api/v1/tasks/:id')
}

// Unknown routes.
export function useNothing(): void {
  // @ts-expect-error -- no such route
  useAPI('GET /api/v1/task')
  // @ts-expect-error -- no such route
  useAPI({ route: 'POST /agent/nope' })
  // @ts-expect-error -- no such route
  usePages('GET /api/nope')
}

// Options may be undefined.
export function useSometimes(isOpen: boolean): void {
  const tasks = useAPI('GET /api/v1/tasks', isOpen ? { staleTime: 1000 } : undefined)
  expectTypeOf(tasks.data).toEqualTypeOf<Page<Task> | undefined>()
  // @ts-expect-error -- without params
  useAPI('GET /api/v1/tasks/:id', undefined)
}

// Relations: only the expanded members are present.
export function useArticles(isOpen: boolean): void {
  type WithAuthor = Article & Pick<ArticleRead<never, never>['related'], 'author'>
  type Whole = Article & Pick<ArticleRead<never, never>['related'], 'author' | 'commentCount'>
  const plain = useAPI('GET /api/v1/articles', { query: { limit: 5 } })
  expectTypeOf(plain.data).toEqualTypeOf<Page<Article> | undefined>()
  const list = useAPI('GET /api/v1/articles', {
    query: { limit: 5, expand: ['author'] },
    onSuccess: ({ data }) => expectTypeOf(data).toEqualTypeOf<WithAuthor[]>(),
  })
  expectTypeOf(list.data).toEqualTypeOf<Page<WithAuthor> | undefined>()
  const query = { expand: ['commentCount', 'author'] } as const
  const one = useAPI({ route: 'GET /api/v1/articles/:id', params: { id: 1 }, query })
  expectTypeOf(one.data).toEqualTypeOf<Whole | undefined>()
  const name = useAPI('GET /api/v1/articles/:id', {
    params: { id: 1 },
    query: { expand: ['author'] },
    select: ({ author }) => author?.name,
  })
  expectTypeOf(name.data).toEqualTypeOf<string | undefined>()
  const { items } = usePages('GET /api/v1/articles', { query: { expand: ['author'] } })
  expectTypeOf(items).toEqualTypeOf<WithAuthor[]>()
  const { client } = useSdk()
  const called = client.call('GET /api/v1/articles', { query: { limit: 5, expand: ['author'] } })
  expectTypeOf(called).resolves.toEqualTypeOf<Page<WithAuthor>>()
  const got = client.call('GET /api/v1/articles/:id', { params: { id: 1 }, query: { expand: ['author'] } })
  expectTypeOf(got).resolves.toEqualTypeOf<WithAuthor>()
  const { data } = useSuspenseQuery(apiQueryOptions(client, 'GET /api/v1/articles', { query: { expand: ['author'] } }))
  expectTypeOf(data).toEqualTypeOf<Page<WithAuthor>>()
  const maybe = useAPI('GET /api/v1/articles', { query: { expand: isOpen ? ['author'] : [] } })
  expectTypeOf(maybe.data).toEqualTypeOf<Page<WithAuthor> | undefined>()
  // A route may declare a parameter with this name itself.
  void client.call('GET /api/tree', { query: { expand: 'root' } })
  useAPI('GET /api/tree', { query: { expand: 'root' } })
  // @ts-expect-error -- it is required
  useAPI('GET /api/tree', { query: {} })
  // @ts-expect-error -- no such relation
  useAPI('GET /api/v1/articles', { query: { expand: ['nope'] } })
  // @ts-expect-error -- no such relation
  void client.call('GET /api/v1/articles', { query: { expand: ['author', 'nope'] } })
  // @ts-expect-error -- an array, which the client joins
  void client.call('GET /api/v1/articles', { query: { expand: 'author' } })
  // @ts-expect-error -- the list has no relations
  void client.call('GET /api/v1/tasks', { query: { expand: ['author'] } })
  // @ts-expect-error -- without params
  void client.call('GET /api/v1/articles/:id', { query: { expand: ['author'] } })
}
