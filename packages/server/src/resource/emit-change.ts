import type { RequestContext, Context } from '../context/context.ts'
import { errorFields } from '../log/log.ts'
import type { ResourceRuntime } from './resource-runtime.ts'
import type { Row } from '../define/store.ts'

/** A change that is kept. */
export type RowChange =
  | { readonly event: 'created' | 'deleted'; readonly row: Row }
  | { readonly event: 'updated'; readonly row: Row; readonly before: Row }

/** Tells of a change, beside the answer: whoever hears it cannot undo it any more. */
export function emitChange({ resource, toItem }: ResourceRuntime, ctx: RequestContext, change: RowChange): void {
  const { on = {} } = resource.definition
  const listener = on[change.event] as ((item: unknown, ctx: Context, before?: unknown) => unknown) | undefined
  if (listener === undefined) return
  const before = 'before' in change ? [toItem(change.before)] : []
  const work = async (): Promise<unknown> => listener(toItem(change.row), ctx as unknown as Context, ...before)
  ctx.waitUntil(
    work().catch((error: unknown) => {
      ctx.log.error(`on.${change.event} of ${resource.name} failed; the change is kept`, errorFields(error))
    }),
  )
}
