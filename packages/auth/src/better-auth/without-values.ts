/**
 * An error of a database without the values that were sent to it. Those may be tokens and hashes, and errors end in logs
 * and spans; some libraries write the values into the message.
 */
export function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const cause = withoutValues(error.cause)
  if ('params' in error) return cause instanceof Error ? cause : new Error('a statement failed')
  if (cause !== error.cause) error.cause = cause
  return error
}
