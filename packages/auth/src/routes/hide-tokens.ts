/**
 * Removes session tokens from a response: those of the sessions that it contains, and those in `known`. Plugin tokens,
 * which serve other purposes, are kept.
 */
export function hideTokens(value: unknown, known: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => hideTokens(item, known))
  const isSession = 'userId' in value && 'expiresAt' in value
  const isHidden = (name: string, member: unknown): boolean =>
    name === 'token' && (isSession || (typeof member === 'string' && known.has(member)))
  const members = (Object.entries(value) as [string, unknown][]).filter(([name, member]) => !isHidden(name, member))
  return Object.fromEntries(members.map(([name, member]) => [name, hideTokens(member, known)]))
}
