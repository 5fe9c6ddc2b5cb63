import type { Servable } from '../app/app.ts'
import { settlesWithin } from '../platform/settles-within.ts'

/** Closes an app. Pending `waitUntil` work may take up to `ms` milliseconds. */
export async function closeApp(app: Servable, ms: number): Promise<void> {
  if (await settlesWithin(app.close(), Math.max(ms, 100))) return
  app.log.warn('promises passed to waitUntil did not settle before shutdown', { requestIds: app.running() })
}
