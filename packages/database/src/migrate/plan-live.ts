import { createLiveTriggers, dropLiveTriggers, LIVE_TRIGGERS } from '../live/live-triggers.ts'
import { quoteIdent } from '../table-layout.ts'
import type { CatalogTable } from './catalog.ts'
import { laterStep } from './expand-contract.ts'
import type { MigrationStep } from './migration-step.ts'
import type { TableDesign } from './table-design.ts'

const MISSING = 'the resource is live, but no triggers announce changes'

/** Plans the triggers that announce the changes of a live table. `found` is null if the table is new. */
export function planLive({ name, isLive = false }: TableDesign, found: CatalogTable | null): MigrationStep[] {
  const table = quoteIdent(name)
  const existing = LIVE_TRIGGERS.filter((trigger) => found?.triggers.includes(trigger))
  if (isLive && existing.length < LIVE_TRIGGERS.length)
    return [{ what: MISSING, sql: createLiveTriggers({ table }), ...(found !== null && { isLive: true }) }]
  if (isLive || existing.length === 0) return []
  const what = 'triggers announce changes, but the resource is not live'
  return [{ sql: [], cleanup: { what, steps: [laterStep(dropLiveTriggers(table))] } }]
}
