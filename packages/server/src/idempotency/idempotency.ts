import { ApiError } from '@sdk/protocol'
import { isReplyStream, type Reply } from '../http/reply.ts'
import { type BodyChunk } from '../http/reply-stream.ts'
import { checkedKv, fitsValue, MAX_VALUE, type EngineKv } from '../engine/engine-kv.ts'
import type { Engine } from '../engine/engine.ts'
import { fingerprint, sha256 } from './fingerprint.ts'
import { parseStoredReply, joinChunks, serializeReply, type BufferedReply } from './stored-reply.ts'
import { leaseKey, type KeyLease } from './key-lease.ts'
import type { Log } from '../log/log.ts'
import { recordStream } from './record-stream.ts'
import type { OnceKey, Store, StoreWith } from '../define/store.ts'

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  /** The principal that sent the request. Each principal has its own keys. */
  readonly principal: string
  /** The owner of the stored reply: a user, or an address, which many principals may share. */
  readonly owner: string
  readonly method: string
  readonly path: string
  readonly key: string
  /** The JSON body, or undefined if there is none. */
  readonly body: unknown
  /** A signal that aborts when the client disconnects. */
  readonly signal: AbortSignal
}

/** A runner that executes each keyed request only once. */
export interface Idempotency {
  /** Returns the stored reply for the key, or calls `execute` and stores its reply. */
  run(request: KeyedRequest, execute: () => Reply | Promise<Reply>): Promise<Reply>
  /**
   * Does the same as `run`, but for a request that uses a store. If the store has `once`, the request is executed and
   * its reply is stored in one transaction.
   */
  runIn(store: Store, request: KeyedRequest, execute: (store: Store) => Promise<Reply>): Promise<Reply>
}

/** Options for `createIdempotency`. */
export interface IdempotencyOptions {
  readonly log: Log
  /** How long a reply is stored, in seconds. @default 86400 */
  readonly ttlSeconds?: number
  /** How long a key remains leased after its process crashes, in seconds. @default 30 */
  readonly leaseSeconds?: number
}

interface KeyedRun extends Pick<Required<IdempotencyOptions>, 'log' | 'ttlSeconds'> {
  readonly request: KeyedRequest
  readonly print: string
  /** A hash of the principal, the method, the path and the key. */
  readonly digest: string
  readonly lease: KeyLease
}

/**
 * Creates the idempotency runner, which uses an engine's key-value store. The value of a key is the request's
 * fingerprint, followed by the reply, or by `running` and the run's id.
 */
export function createIdempotency(engine: Pick<Engine, 'kv'>, options: IdempotencyOptions): Idempotency {
  const { log, ttlSeconds = 86_400, leaseSeconds = 30 } = options
  const kv = checkedKv(engine.kv)

  /** Acquires the key, or returns the stored reply. */
  async function start(request: KeyedRequest): Promise<KeyedRun | Reply> {
    const { principal, owner, method, path, body } = request
    const scope = JSON.stringify([principal, method, path, request.key])
    const [print, digest] = await Promise.all([fingerprint(body), sha256(scope)])
    const key = `idempotency/${digest}`
    const token = `${print} running ${crypto.randomUUID()}`
    const found = await acquireKey(kv, { key, token, leaseSeconds })
    if (found !== null) return replay(found, print)
    return { request, print, digest, log, ttlSeconds, lease: leaseKey({ kv, key, token, owner, leaseSeconds, log }) }
  }

  return {
    async run(request, execute) {
      const started = await start(request)
      return 'lease' in started ? runAndStore(started, execute) : started
    },
    async runIn(store, request, execute) {
      const started = await start(request)
      if (!('lease' in started)) return started
      if (!hasOnce(store)) return runAndStore(started, () => execute(store))
      const { print, digest, lease } = started
      try {
        return await runInStore(store, { key: digest, print, seconds: ttlSeconds }, execute)
      } finally {
        await lease.release()
      }
    },
  }
}

/**
 * Acquires the key and returns null. If the key already exists, returns its value instead. Throws if the store is
 * unavailable, so that a request is never executed twice.
 */
async function acquireKey(
  kv: EngineKv,
  { key, token, leaseSeconds }: { key: string; token: string; leaseSeconds: number },
): Promise<string | null> {
  try {
    for (let tries = 0; tries < 3; tries += 1) {
      if (await kv.compareAndSet(key, { from: null, to: token, ttl: leaseSeconds })) return null
      const found = await kv.get(key)
      if (found !== null) return found // otherwise the key was released in the meantime
    }
  } catch (cause) {
    const message = 'the Idempotency-Key cannot be checked right now: the request was not executed'
    throw new ApiError('SERVICE_UNAVAILABLE', message, { cause, retryAfter: 1 })
  }
  throw keyInUse()
}

async function runAndStore(run: KeyedRun, execute: () => Reply | Promise<Reply>): Promise<Reply> {
  const reply = await orRelease(run.lease, execute)
  const { status, body } = reply
  if (status < 200 || status > 299) {
    await run.lease.release()
    return reply
  }
  const headers = { ...reply.headers } // a copy, since the app adds headers to the reply
  if (!isReplyStream(body)) {
    await storeReply(run, { status, headers, body })
    return reply
  }
  const { signal } = run.request
  const ended = (pieces: readonly BodyChunk[] | null): Promise<void> =>
    pieces === null ? run.lease.release() : storeReply(run, { status, headers, body: joinChunks(pieces) })
  return { ...reply, body: recordStream(body, { limit: MAX_VALUE, signal, ended }) }
}

/** Calls `execute` and stores its reply in one store transaction, so that a crash loses both or neither. */
async function runInStore(
  store: StoreWith<'once'>,
  key: OnceKey,
  execute: (store: Store) => Promise<Reply>,
): Promise<Reply> {
  let fresh: Reply | undefined
  const stored = await store.once(key, async (inner) => {
    fresh = await execute(inner)
    return serializeReply(fresh as BufferedReply)
  })
  return stored.isNew && fresh !== undefined ? fresh : replay(`${stored.print} ${stored.value}`, key.print)
}

function hasOnce(store: Store): store is StoreWith<'once'> {
  return store.once !== undefined
}

async function storeReply({ request, print, lease, log, ttlSeconds }: KeyedRun, reply: BufferedReply): Promise<void> {
  const isLarge = reply.body !== null && reply.body.length > MAX_VALUE
  const value = isLarge ? null : `${print} ${serializeReply(reply)}`
  if (value !== null && fitsValue(value)) return lease.complete(value, ttlSeconds)
  const { method, path } = request
  log.warn('a response over 1 MiB is not stored for its idempotency key: a retry will run the handler again', {
    method,
    path,
  })
  return lease.release()
}

async function orRelease(lease: KeyLease, execute: () => Reply | Promise<Reply>): Promise<Reply> {
  try {
    return await execute()
  } catch (thrown) {
    await lease.release()
    throw thrown
  }
}

function replay(found: string, print: string): Reply {
  const [theirs, rest] = [found.slice(0, print.length), found.slice(print.length + 1)]
  if (theirs !== print) {
    const message = 'this Idempotency-Key was already used with a different body: use a new key for a new request'
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', message)
  }
  if (rest.startsWith('running ')) throw keyInUse()
  const reply = parseStoredReply(rest)
  return { ...reply, headers: { ...reply.headers, 'idempotent-replayed': 'true' } }
}

function keyInUse(): ApiError {
  const message = 'the first request with this Idempotency-Key is still running'
  return new ApiError('IDEMPOTENCY_KEY_IN_USE', message, { retryAfter: 1 })
}
