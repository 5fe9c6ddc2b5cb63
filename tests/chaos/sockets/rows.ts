import { addRow } from '../mode.ts'
import type { Delivery, Reception } from './judge.ts'

/** A row of the table: its name, and the faults of the connections. */
export interface Row {
  readonly name: string
  readonly restarts?: number
  readonly cuts?: number
}

/** Adds the fate of the messages to the server to the table. */
export function addDelivery(row: Row, delivery: Delivery): void {
  const { sent, lost, reordered, duplicates, duplicatesOfALife, unmarked } = delivery
  addRow({
    ...row,
    messages: sent,
    lost: lost.length,
    reordered: reordered.length,
    duplicates: duplicates.length,
    'in one life': duplicatesOfALife,
    marked: duplicates.length - unmarked.length,
  })
}

/** Adds the fate of messages to several clients to the table. Lost are those without a gap. */
export function addReceptions(row: Row, messages: number, receptions: readonly Reception[]): void {
  const sum = (of: (one: Reception) => number): number => receptions.reduce((total, one) => total + of(one), 0)
  addRow({
    ...row,
    messages: messages * receptions.length,
    lost: sum(({ unreported, behind }) => Math.max(unreported.length, behind)),
    reordered: sum(({ reordered }) => reordered.length),
    duplicates: sum(({ duplicates }) => duplicates.length),
    gaps: sum(({ gaps }) => gaps),
    'reported as missed': sum(({ missed, unreported }) => missed.length - unreported.length),
  })
}
