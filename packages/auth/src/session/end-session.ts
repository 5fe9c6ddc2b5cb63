import type { BetterAuth } from '../better-auth/better-auth.ts'

/** Ends a session and its sockets in every process. Does nothing if the session has already ended. */
export async function endSession(id: string, { context }: BetterAuth): Promise<void> {
  const where = [{ field: 'id', value: id }]
  const found = await context.adapter.findOne<{ token: string }>({ model: 'session', where })
  // Uses Better Auth's method because its hooks publish the change.
  if (found !== null) await context.internalAdapter.deleteSession(found.token)
}
