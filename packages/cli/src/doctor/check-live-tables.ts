import type { Router, Store } from '@sdk/server'
import type { Finding } from './finding.ts'

/**
 * Checks that the tables of live resources have the triggers that announce changes. An embedded database is not opened:
 * it may be in use, and its tables always get their triggers at startup.
 */
export async function checkLiveTables(
  router: Pick<Router, 'entries'> | null,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  if (!/^postgres(?:ql)?:/.test(env['DATABASE_URL'] ?? '')) return []
  const resources = (router?.entries ?? []).flatMap((entry) => (entry.kind === 'resource' ? [entry.resource] : []))
  const stores = new Set(resources.filter(({ shape }) => shape.isLive === true).map(({ store }) => store))
  return (await Promise.all(Array.from(stores, checkStore))).flat()
}

async function checkStore(store: Store): Promise<Finding[]> {
  try {
    const plan = await store.plan?.()
    const changes = plan?.changes.filter(({ isLive }) => isLive === true) ?? []
    return changes.map(({ what, steps }) => ({
      code: 'LIVE_TRIGGERS_MISSING',
      level: 'warning',
      message: what,
      place: `table ${plan?.table}`,
      fix: `sdk start creates them if its role owns the table; otherwise, run this SQL as the owner:\n${steps.map(({ sql }) => `${sql};`).join('\n')}`,
    }))
  } catch {
    return [] // another check reports an unreachable database
  } finally {
    await store.close?.()
  }
}
