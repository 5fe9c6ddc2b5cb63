/**
 * Returns whether the code runs on Cloudflare Workers. There, timers end with the request that started them, and
 * requests share variables.
 */
export function isWorkers(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: string } }
  return navigator?.userAgent === 'Cloudflare-Workers'
}
