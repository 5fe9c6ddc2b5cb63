/**
 * Does work on one row after the other: those who change the same one would only undo each other's reading. Whoever
 * had to wait is told, since what was read before is old.
 */
export type InTurn = <T>(id: number, work: (hasWaited: boolean) => Promise<T>) => Promise<T>

/** How long one waits for who came before, in ms. */
const PATIENCE = 5_000

/** Turns for each row, within this process; among several, the version of the row decides. */
export function createTurns(patience: number = PATIENCE): InTurn {
  const last = new Map<number, Promise<void>>()
  return async (id, work) => {
    const before = last.get(id)
    let end = (): void => {}
    const mine = new Promise<void>((resolve) => {
      end = resolve
    })
    last.set(id, mine)
    try {
      if (before !== undefined) await atMost(before, patience)
      return await work(before !== undefined)
    } finally {
      if (last.get(id) === mine) last.delete(id)
      end()
    }
  }
}

/** One that never ends holds up nobody for ever. */
async function atMost(work: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
