import { addRow } from '../mode.ts'
import type { Delivery, Hearing } from './judge.ts'

/** A line of the table: its name, and what was done to the connections. */
export interface Row {
  readonly name: string
  readonly restarts?: number
  readonly cuts?: number
}

/** Adds to the table what became of the messages to the server. */
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

/** Adds to the table what became of as many messages to each of some clients. Lost is what they were not told of. */
export function addHearings(row: Row, messages: number, hearings: readonly Hearing[]): void {
  const sum = (of: (hearing: Hearing) => number): number => hearings.reduce((total, hearing) => total + of(hearing), 0)
  addRow({
    ...row,
    messages: messages * hearings.length,
    lost: sum(({ untold, behind }) => Math.max(untold.length, behind)),
    reordered: sum(({ reordered }) => reordered.length),
    duplicates: sum(({ duplicates }) => duplicates.length),
    gaps: sum(({ gaps }) => gaps),
    'told as missed': sum(({ missed, untold }) => missed.length - untold.length),
  })
}
