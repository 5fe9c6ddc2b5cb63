import type { ApiError, LiveRequest, Page } from '@sdk/protocol'
import { createClient, type HttpClient } from '@sdk/frontend'
import { act } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach } from 'vitest'
import { respond, startTestApp, type TestApp } from './app.test.fixture.tsx'
import { createLiveServer, type LiveServer } from './live-server.test.fixture.ts'
import { live } from './live.ts'
import { SdkProvider } from './sdk-provider.tsx'

export interface Task {
  id: number
  title: string
}

/** The route of the list. */
export const LIST = 'GET /tasks'

/** A server with tasks, over HTTP and live. */
export interface LiveTasks {
  readonly app: TestApp
  tasks: Task[]
  /** The error for all subscriptions, if there is one. */
  refusal: ApiError | undefined
  server: LiveServer
  client: HttpClient
  /** Provides live data. */
  Live(props: { children: ReactNode }): ReactNode
  /** Makes a change and announces it. */
  commit(change: () => void): void
  /** Returns the subscriptions that were sent. */
  subscribed(): LiveRequest[]
}

/** Starts a new server for every test of the file. */
export function startLiveTasks(): LiveTasks {
  const app = startTestApp()
  const it = {
    app,
    Live: ({ children }: { children: ReactNode }) => (
      <SdkProvider client={it.client} live={live}>
        {children}
      </SdkProvider>
    ),
    commit: (change: () => void) =>
      act(() => {
        change()
        it.server.commit()
      }),
    subscribed: () => it.server.requests.filter((request) => 'sub' in request),
  } as LiveTasks
  beforeEach(() => {
    it.tasks = [1, 2, 3].map((id) => ({ id, title: `task ${id}` }))
    it.refusal = undefined
    it.server = createLiveServer((_route, query, params) => {
      if (it.refusal) throw it.refusal
      return 'id' in params ? it.tasks.find(({ id }) => id === params['id']) : readPage(it.tasks, query)
    })
    it.client = createClient({ WebSocket: it.server.WebSocket })
    app.routes[LIST] = (request, response) => {
      const { searchParams } = new URL(request.url ?? '', app.url)
      return respond(200, readPage(it.tasks, Object.fromEntries(searchParams)))(request, response)
    }
  })
  return it
}

/** Returns the titles of a page. */
export function titles(page: unknown): string[] | undefined {
  return (page as Page<Task> | undefined)?.data.map(({ title }) => title)
}

/** Returns the tasks after the id in `cursor`. */
function readPage(tasks: Task[], { limit = '20', cursor = '0' }: Record<string, string>): Page<Task> {
  const rest = tasks.filter(({ id }) => id > Number(cursor))
  const data = rest.slice(0, Number(limit))
  const hasMore = rest.length > data.length
  return {
    data,
    pagination: { limit: Number(limit), hasMore, nextCursor: hasMore ? `${data.at(-1)?.id}` : null, prevCursor: null },
  }
}
