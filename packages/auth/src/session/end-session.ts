import type { BetterAuth } from '../better-auth/better-auth.ts'

/** Ends a session by its id, in every process and with its sockets; nothing where it is over already. */
export async function endSession(id: string, { context }: BetterAuth): Promise<void> {
  const where = [{ field: 'id', value: id }]
  const found = await context.adapter.findOne<{ token: string }>({ model: 'session', where })
  // By the library's own way, whose hooks tell of it.
  if (found !== null) await context.internalAdapter.deleteSession(found.token)
}
