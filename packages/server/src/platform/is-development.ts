/** Returns whether `NODE_ENV` is `development`. Platforms without `process` count as production. */
export function isDevelopmentByEnvironment(): boolean {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.['NODE_ENV'] === 'development'
}
