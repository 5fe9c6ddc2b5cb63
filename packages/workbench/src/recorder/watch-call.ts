import type { Call, CallWatch, Reply, Servable } from '@sdk/server'
import type { CallDraft } from './call-draft.ts'

/** Lets an app answer a call, and records it. */
export function watchCall(app: Pick<Servable, 'handle'>, call: Call, draft: CallDraft): Reply | Promise<Reply> {
  const reply = app.handle(watched(call, draft))
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
function watched(call: Call, watch: CallDraft): Call {
  ;(call as { watch?: CallWatch }).watch = watch
  return call
}
