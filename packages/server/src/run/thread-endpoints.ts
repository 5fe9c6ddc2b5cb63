import { encodeCursor, type Page, type Thread, type ThreadSummary } from '@sdk/protocol'
import type { RequestContext } from '../context/context.ts'
import type { Agent } from '../define/agent.ts'
import { httpError } from '../http/http-error.ts'
import { MEDIA_TYPE } from '../http/media-type.ts'
import type { Reply } from '../http/reply.ts'
import { parseState } from './execute-run.ts'
import { toRun } from './run-reply.ts'
import { parseLimit, parseListCursor, queryOf, readThread, userIdOf } from './run-request.ts'
import type { Runner } from './runner.ts'
import { VISIBLE_ID } from './step/pauses.ts'
import type { ThreadRef } from './store/thread-store.ts'

async function getThread(agent: Agent, ctx: RequestContext, { store }: Runner): Promise<Reply> {
  const ref = threadOf(agent, ctx)
  const { userId, thread } = ref
  const stored = await store.threads.get(ref)
  if (stored === null) throw notFound(ref)
  const [run] = await store.list({ agent: agent.name, of: { userId }, thread, limit: 1, after: null })
  // A state that the current schema rejects is shown as it is.
  const text = stored.state
  const state = text === null ? await parseState(agent.state, null) : (JSON.parse(text) as unknown)
  const found: Thread = { state, run: run === undefined || run.isGone ? null : toRun(run) }
  return toJson(found)
}

async function listThreads({ name: agent }: Agent, ctx: RequestContext, { store }: Runner): Promise<Reply> {
  const userId = userIdOf(ctx)
  if (userId === null) throw httpError('UNAUTHORIZED', 'Sign in to list threads')
  const query = queryOf(ctx)
  const [limit, list] = [parseLimit(query['limit']), `threads ${agent}`]
  const from = parseListCursor(query['cursor'], { list, idFormat: VISIBLE_ID })
  const after = from && { usedAt: from.time, thread: from.id }
  const found = await store.threads.list({ agent, userId, limit: limit + 1, after })
  const threads = found.slice(0, limit)
  const last = found.length > limit ? threads.at(-1) : undefined
  const nextCursor =
    last === undefined ? null : encodeCursor({ list, direction: 'next', after: [last.usedAt, last.thread] })
  const page: Page<ThreadSummary> = {
    data: threads.map((one) => ({ id: one.thread, usedAt: one.usedAt })),
    pagination: { limit, hasMore: nextCursor !== null, nextCursor, prevCursor: null },
  }
  return toJson(page)
}

async function deleteThread(agent: Agent, ctx: RequestContext, runner: Runner): Promise<Reply> {
  const ref = threadOf(agent, ctx)
  if ((await runner.store.threads.get(ref)) === null) throw notFound(ref)
  await cancelThread(ref, runner)
  await runner.store.threads.delete(ref)
  return { status: 204, headers: {}, body: null }
}

/** Cancels the unfinished runs of a thread. */
export async function cancelThread(ref: ThreadRef, runner: Runner): Promise<void> {
  // The runner stops the runs that it executes.
  for (const id of await runner.store.threads.cancel(ref, runner.process)) await runner.cancel(id)
}

/** The handlers of the routes for threads. */
export const THREAD_HANDLERS: Readonly<
  Record<'thread' | 'threads' | 'deleteThread', (agent: Agent, ctx: RequestContext, runner: Runner) => Promise<Reply>>
> = { thread: getThread, threads: listThreads, deleteThread }

/** Returns the thread in the path. Throws 401 for guests, who have no threads. */
function threadOf({ name: agent }: Agent, ctx: RequestContext): ThreadRef {
  const thread = readThread(ctx, (ctx.params as { thread?: string }).thread ?? '', 'path') ?? ''
  return { agent, userId: userIdOf(ctx) ?? '', thread }
}

function notFound({ thread }: ThreadRef): Error {
  return httpError('NOT_FOUND', `no thread has the id ${thread}`)
}

function toJson(value: unknown): Reply {
  return { status: 200, headers: { 'content-type': MEDIA_TYPE.json }, body: JSON.stringify(value) }
}
