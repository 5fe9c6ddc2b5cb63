import { type AuthSource, openDrizzle } from '../conformance/auth/ways.ts'

/** Opens the users of a database by its URL, or by its tables in a Drizzle schema. */
export async function openAuthSource(
  kind: string,
  url: string,
): Promise<{ source: AuthSource; close(): Promise<void> }> {
  if (kind === 'Drizzle') return openDrizzle(url, true)
  return { source: { connectionString: url }, close: async () => {} }
}
