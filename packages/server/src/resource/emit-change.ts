import type { CallContext, Context } from '../context/context.ts'
import { errorFields } from '../log/log.ts'
import type { ResourceParts } from './resource-runtime.ts'
import type { Row } from '../define/store.ts'

/** A change that is kept. */
export type Change =
  | { readonly event: 'created' | 'deleted'; readonly row: Row }
  | { readonly event: 'updated'; readonly row: Row; readonly before: Row }

/** Tells of a change, beside the answer: whoever hears it cannot undo it any more. */
export function announce({ resource, toItem }: ResourceParts, ctx: CallContext, change: Change): void {
  const { on = {} } = resource.definition
  const hear = on[change.event] as ((item: unknown, ctx: Context, before?: unknown) => unknown) | undefined
  if (hear === undefined) return
  const before = 'before' in change ? [toItem(change.before)] : []
  const work = async (): Promise<unknown> => hear(toItem(change.row), ctx as unknown as Context, ...before)
  ctx.waitUntil(
    work().catch((error: unknown) => {
      ctx.log.error(`on.${change.event} of ${resource.name} failed; the change is kept`, errorFields(error))
    }),
  )
}
