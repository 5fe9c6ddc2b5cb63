import type { Call, CallWatch, Reply, Servable } from '@sdk/server'
import type { CallRecorder } from './call-recorder.ts'

/** Lets an app answer a call, and records it. */
export function recordCall(app: Pick<Servable, 'handle'>, call: Call, recorder: CallRecorder): Reply | Promise<Reply> {
  const reply = app.handle(withObserver(call, recorder))
  if (!(reply instanceof Promise)) return recorder.answered(reply)
  return reply.then(
    (made) => recorder.answered(made),
    (error: unknown) => {
      recorder.failed(error)
      throw error
    },
  )
}

/** Changes the call itself: a wrapper with all its members would cost more. */
function withObserver(call: Call, watch: CallRecorder): Call {
  ;(call as { watch?: CallWatch }).watch = watch
  return call
}
