import type { CallContext } from '../context/context.ts'
import { pickFields, type ResourceParts } from './resource-runtime.ts'
import type { Fields, Row } from '../define/store.ts'

type Check = (values: Fields, ctx: CallContext, before: unknown) => unknown

/** Lets the definition refuse values that are about to be kept: it throws what the caller is told. */
export async function assertChecked(
  parts: ResourceParts,
  ctx: CallContext,
  { values, before }: { values: Fields; before: Row | null },
): Promise<void> {
  const check = parts.resource.definition.check as Check | undefined
  if (check !== undefined) await check(pickFields(parts, values), ctx, before && parts.toItem(before))
}
