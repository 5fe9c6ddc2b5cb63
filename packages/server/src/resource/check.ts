import type { RequestContext } from '../context/context.ts'
import { pickFields, type ResourceRuntime } from './resource-runtime.ts'
import type { Fields, Row } from '../define/store.ts'

type CheckFunction = (values: Fields, ctx: RequestContext, before: unknown) => unknown

/** Lets the definition refuse values that are about to be kept: it throws what the caller is told. */
export async function runCheck(
  runtime: ResourceRuntime,
  ctx: RequestContext,
  { values, before }: { values: Fields; before: Row | null },
): Promise<void> {
  const check = runtime.resource.definition.check as CheckFunction | undefined
  if (check !== undefined) await check(pickFields(runtime, values), ctx, before && runtime.toItem(before))
}
