import type { Cancellations } from '../context/cancellations.ts'
import { RequestContext, type Context } from '../context/context.ts'
import type { Engine, EngineSubscription } from '../engine/engine.ts'
import { errorFields, type Log } from '../log/log.ts'
import { throttleLog } from '../log/throttle-log.ts'

/** The engine's stream of the keys of cancelled calls. */
const STREAM = 'sdk:cancelled'
/** The maximum number of registered calls. A call whose handler never ends is registered even after a disconnect. */
const MAX_CALLS = 10_000

/** Creates the registry of the calls in this process. It uses the engine only if a call is in another process. */
export function createCancellations(engine: Engine, log: Log): Cancellations & { close(): void } {
  const calls = new Map<string, AbortController>()
  const { warn } = throttleLog(log)
  let subscribed: Promise<EngineSubscription> | undefined
  const abort = (key: string): boolean => {
    const call = calls.get(key)
    calls.delete(key)
    call?.abort()
    return call !== undefined
  }
  /** Subscribes to the keys. If the engine is unavailable, the next call tries it again. */
  const subscribe = (): void => {
    subscribed = engine.subscribe(STREAM, ({ data }) => void abort(data))
    subscribed.catch((error: unknown) => {
      subscribed = undefined
      warn('calls cannot be cancelled from other processes: engine unavailable', errorFields(error))
    })
  }
  return {
    open(key) {
      if (subscribed === undefined) subscribe()
      const call = new AbortController()
      calls.set(key, call)
      if (calls.size > MAX_CALLS) calls.delete(calls.keys().next().value ?? '')
      return { signal: call.signal, end: () => void (calls.get(key) === call && calls.delete(key)) }
    },
    cancel(key) {
      if (abort(key)) return
      engine.publish(STREAM, key).catch((error: unknown) => {
        warn('a call in another process could not be cancelled: engine unavailable', errorFields(error))
      })
    },
    close() {
      subscribed?.then(
        ({ end }) => end(),
        () => {}, // the error is already logged
      )
    },
  }
}

/** Returns the calls that other requests can cancel, for packages that offer tools in another protocol. */
export function getCancellations(ctx: Context<unknown, unknown>): Cancellations {
  if (ctx instanceof RequestContext) return ctx.cancellations
  throw new TypeError('getCancellations must be called with the context that a handler receives')
}
