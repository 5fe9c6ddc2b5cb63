import type { Call, CallWatch, Reply, Servable } from '@sdk/server'
import type { CallRecorder } from './call-recorder.ts'

/** Lets an app answer a call, and records it. */
export function recordCall(app: Pick<Servable, 'handle'>, call: Call, draft: CallRecorder): Reply | Promise<Reply> {
  const reply = app.handle(withObserver(call, draft))
  if (!(reply instanceof Promise)) return draft.answered(reply)
  return reply.then(
    (made) => draft.answered(made),
    (error: unknown) => {
      draft.failed(error)
      throw error
    },
  )
}

/** Changes the call itself: a wrapper with all its members would cost more. */
function withObserver(call: Call, watch: CallRecorder): Call {
  ;(call as { watch?: CallWatch }).watch = watch
  return call
}
