import { encodeCursor, RUN_ID_HEADER, RUN_THREAD_HEADER, type Page, type Run } from '@sdk/protocol'
import type { RequestContext } from '../context/context.ts'
import type { Agent } from '../define/agent.ts'
import { validateInput, type HandlerCall } from '../endpoint/endpoint.ts'
import { namesMediaType } from '../http/accept.ts'
import { httpError } from '../http/http-error.ts'
import { MEDIA_TYPE } from '../http/media-type.ts'
import type { Reply } from '../http/reply.ts'
import { fingerprint } from '../idempotency/fingerprint.ts'
import { settingsOf } from './execute-run.ts'
import { errorOf, limitExceeded } from './run-error.ts'
import { RUN_LIMITS } from './run-limits.ts'
import { toRun, toStreamReply } from './run-reply.ts'
import {
  findRun,
  hasAccess,
  isOwner,
  parseEventKey,
  parseLimit,
  parseListCursor,
  parseWait,
  queryOf,
  readPreference,
  readRunKey,
  readThread,
  resolvePosition,
  RUN_ID,
  userIdOf,
} from './run-request.ts'
import type { RunRoute } from './run-schemas.ts'
import type { StoredRun } from './store/run-store.ts'
import { sizeOfRuns } from './store/run-size.ts'
import type { Runner } from './runner.ts'
import { assertCreated, isInTurn, startOrReplace } from './start-background.ts'
import { THREAD_HANDLERS } from './thread-endpoints.ts'

/** How often to read a run while a request waits for it to end and there is no news, in ms. */
const CHECK_MS = 5_000

/** How often a list reads further runs if the caller may not see those that it has read. */
const MAX_LIST_ROUNDS = 10

/** Starts a run, and responds with its stream or its result. */
export async function startRun(agent: Agent, { ctx, body }: HandlerCall, runner: Runner): Promise<Reply> {
  const userId = userIdOf(ctx)
  const [key, thread] = [await readRunKey(ctx), readThread(ctx, ctx.incoming.header(RUN_THREAD_HEADER))]
  const checked = await validateInput(agent, body)
  const input = body === undefined ? null : JSON.stringify(body)
  if (input !== null && input.length > RUN_LIMITS.value)
    throw httpError('CONTENT_TOO_LARGE', `the input of a run has more than ${RUN_LIMITS.value} characters of JSON`)
  const { auth, address, rateLimitKey: caller } = ctx
  const trace = ctx.incoming.header('traceparent')
  const print = await fingerprint(body)
  const place = { thread, isInTurn: isInTurn(agent, thread) }
  const run = { userId, caller, key, print, ...place, input, address, trace, ...settingsOf(agent) }
  const { span, observer } = ctx
  const created = await startOrReplace(runner, agent, run, { auth, input: { checked }, span, observer })
  const id = assertCreated(created)
  if (created.outcome === 'created' && run.isStream && readPreference(ctx, true).ms > 0)
    return toStreamReply(runner, { id, position: { epoch: 1, index: 0 }, isRetracted: false, isSse: acceptsSse(ctx) })
  ctx.params = { run: id }
  return answerStart(agent, ctx, runner)
}

/** Responds with the stream or the result of a run, or with 202 if the client does not want to wait. */
async function answerStart(agent: Agent, ctx: RequestContext, runner: Runner): Promise<Reply> {
  const run = await findRun(runner.store, agent, ctx)
  const { ms, applied } = readPreference(ctx, run.isStream)
  const preference = applied === '' ? {} : { 'preference-applied': applied }
  if (ms === 0) return toAcceptedReply(run, preference)
  if (run.isStream) {
    const start = resolvePosition(run, null, NO_POSITION)
    return toStreamReply(runner, { id: run.id, ...start, isSse: acceptsSse(ctx) })
  }
  const ended = await waitForRun(runner, ctx, { run, ms, isOver: ({ status }) => status === 'waiting' })
  if (ended.endedAt === null) return toAcceptedReply(ended, preference)
  const headers = { [RUN_ID_HEADER]: run.id }
  const error = errorOf(ended, headers)
  if (error !== null) throw error
  return { status: 200, headers: { ...headers, 'content-type': MEDIA_TYPE.json }, body: ended.output ?? 'null' }
}

const NO_POSITION = { source: 'query', name: 'at' } as const

/** Waits up to `ms` milliseconds until `isOver` or the run ends. Stops if the client disconnects or the server shuts down. */
async function waitForRun(
  { store, news }: Runner,
  ctx: RequestContext,
  { run, ms, isOver }: { run: StoredRun; ms: number; isOver: (current: StoredRun) => boolean },
): Promise<StoredRun> {
  const subscription = news.subscribe(run.id)
  const end = performance.now() + ms
  try {
    for (;;) {
      const current = await store.get(run.id)
      if (current === null) throw httpError('NOT_FOUND', 'the run was deleted')
      const left = end - performance.now()
      if (current.endedAt !== null || isOver(current) || left <= 0 || ctx.signal.aborted) return current
      if ((await subscription.next(Math.min(left, CHECK_MS))) === 'closed') return current
    }
  } finally {
    subscription.close()
  }
}

async function getRun(agent: Agent, ctx: RequestContext, runner: Runner): Promise<Reply> {
  const ms = parseWait(queryOf(ctx)['wait'])
  const run = await findRun(runner.store, agent, ctx)
  if (ms === 0 || run.endedAt !== null) return toJsonReply(run, 200)
  const isOver = ({ status, epoch, waiting }: StoredRun): boolean =>
    status !== run.status || epoch !== run.epoch || waiting !== run.waiting
  return toJsonReply(await waitForRun(runner, ctx, { run, ms, isOver }), 200)
}

async function readChunks(agent: Agent, ctx: RequestContext, runner: Runner): Promise<Reply> {
  const run = await findRun(runner.store, agent, ctx)
  const last = ctx.incoming.header('last-event-id')
  const named = last === null ? NO_POSITION : ({ source: 'header', name: 'Last-Event-ID' } as const)
  const start = resolvePosition(run, last ?? queryOf(ctx)['at'] ?? null, named)
  const { id } = run
  // `EventSource` reconnects after the end of a stream, unless the response is 204.
  if (last !== null && run.endedAt !== null && start.position.index === run.chunks && !start.isRetracted)
    return { status: 204, headers: { [RUN_ID_HEADER]: id }, body: null }
  return toStreamReply(runner, { id, ...start, isSse: acceptsSse(ctx) })
}

async function cancelRun(agent: Agent, ctx: RequestContext, runner: Runner): Promise<Reply> {
  const run = await findRun(runner.store, agent, ctx)
  if (!isOwner(run, ctx)) throw httpError('FORBIDDEN', 'only the owner of a run can cancel it')
  await runner.cancel(run.id)
  return { status: 204, headers: {}, body: null }
}

/** Sends an event to a run. The same event may be sent again, since the response may have been lost. */
export async function sendEvent(
  agent: Agent,
  { ctx, body = null, event }: Pick<HandlerCall, 'ctx'> & { readonly event: string; readonly body?: unknown },
  runner: Runner,
): Promise<Reply> {
  const key = parseEventKey(event, queryOf(ctx)['id'])
  const run = await findRun(runner.store, agent, ctx)
  await validateInput({ input: agent.events?.[event] }, body)
  const value = JSON.stringify(body)
  if (value.length > RUN_LIMITS.value)
    throw httpError('CONTENT_TOO_LARGE', `the event has more than ${RUN_LIMITS.value} characters of JSON`)
  const outcome = await runner.send({ run: run.id, key, value, print: await fingerprint(body) })
  if (outcome === 'full') throw limitExceeded(`the run has too many events (limit ${RUN_LIMITS.events})`, 409)
  if (outcome === 'ended') throw httpError('RUN_ENDED', 'the run has already ended')
  if (outcome === 'reused')
    throw httpError('EVENT_SENT', `the event ${event} was already sent with another value, or has timed out`)
  return { status: 204, headers: { [RUN_ID_HEADER]: run.id }, body: null }
}

async function listRuns(agent: Agent, ctx: RequestContext, { store }: Runner): Promise<Reply> {
  const { name } = agent
  const userId = userIdOf(ctx)
  if (userId === null) throw httpError('UNAUTHORIZED', 'Sign in to list runs')
  const query = queryOf(ctx)
  const [limit, thread] = [parseLimit(query['limit']), readThread(ctx, query['thread'] ?? null, 'query')]
  const { waiting } = query
  const list = `runs ${name} ${thread ?? ''} ${waiting ?? ''}`
  const from = parseListCursor(query['cursor'], { list, idFormat: RUN_ID })
  const after = from && { createdAt: from.time, id: from.id }
  const of = waiting === undefined ? { userId } : { waiting }
  const visible: StoredRun[] = []
  let next = after
  let isEnd = false
  for (let round = 0; !isEnd && round < MAX_LIST_ROUNDS && visible.length <= limit && !isFull(visible); round++) {
    const found = await store.list({ agent: name, of, thread, limit: limit + 1, after: next })
    const isVisible = await Promise.all(found.map(async (run) => run.userId === userId || hasAccess(run, agent, ctx)))
    visible.push(...found.filter((_run, index) => isVisible[index]))
    next = found.at(-1) ?? next
    // A store also ends a page whose runs are large. It may count bytes, of which a character has at most three.
    isEnd = found.length <= limit && sizeOfRuns(found) * 3 < RUN_LIMITS.list
  }
  // A cursor contains the id of a run, and every caller who has the id of a guest's run may read the run.
  const runs = visible.slice(0, limit)
  const last = visible.length > limit || (!isEnd && isFull(visible)) ? runs.at(-1) : undefined
  const nextCursor =
    last === undefined ? null : encodeCursor({ list, direction: 'next', after: [last.createdAt, last.id] })
  const hasMore = nextCursor !== null
  const data = runs.map(toRun)
  const page: Page<Run> = { data, pagination: { limit, hasMore, nextCursor, prevCursor: null } }
  return { status: 200, headers: { 'content-type': MEDIA_TYPE.json }, body: JSON.stringify(page) }
}

/** Returns whether a page can have no further runs. */
function isFull(runs: readonly StoredRun[]): boolean {
  return sizeOfRuns(runs) >= RUN_LIMITS.list
}

/** The handlers of the routes that every durable agent has. */
export const RUN_HANDLERS: Readonly<
  Record<RunRoute, (agent: Agent, ctx: RequestContext, runner: Runner) => Promise<Reply>>
> = { list: listRuns, get: getRun, cancel: cancelRun, chunks: readChunks, ...THREAD_HANDLERS }

function acceptsSse({ incoming }: RequestContext): boolean {
  return namesMediaType(incoming.header('accept'), MEDIA_TYPE.sse)
}

function toAcceptedReply(run: StoredRun, more: Record<string, string>): Reply {
  const reply = toJsonReply(run, 202)
  return { ...reply, headers: { ...reply.headers, location: `/agent/${run.agent}/runs/${run.id}`, ...more } }
}

function toJsonReply(run: StoredRun, status: number): Reply {
  const headers = { 'content-type': MEDIA_TYPE.json, [RUN_ID_HEADER]: run.id }
  return { status, headers, body: JSON.stringify(toRun(run)) }
}
