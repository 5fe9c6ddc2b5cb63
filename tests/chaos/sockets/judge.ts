/** A message as the handler received it. */
export interface Handled {
  readonly n: number
  readonly messageId: string
  readonly redelivered: boolean
  /** The process that received it. */
  readonly life: string
}

/** The fate of the messages 1 … `sent` of a client. */
export interface Delivery {
  readonly sent: number
  /** Messages that no handler received. */
  readonly lost: readonly number[]
  /** Messages that first arrived after a later one. */
  readonly reordered: readonly number[]
  /** Duplicates, each counted. */
  readonly duplicates: readonly number[]
  /** The maximum number of duplicates in one process. */
  readonly duplicatesOfALife: number
  /** Duplicates without `redelivered`. */
  readonly unmarked: readonly number[]
  /** Duplicates with a different id. */
  readonly renamed: readonly number[]
}

/** Compares the sent messages with the handled ones, in order. */
export function judgeDelivery(sent: number, handled: readonly Handled[]): Delivery {
  const ids = new Map<number, string>()
  const reordered: number[] = []
  const again: Handled[] = []
  let last = 0
  for (const message of handled) {
    if (ids.has(message.n)) again.push(message)
    else {
      ids.set(message.n, message.messageId)
      if (message.n < last) reordered.push(message.n)
      last = Math.max(last, message.n)
    }
  }
  return {
    sent,
    lost: Array.from({ length: sent }, (_, index) => index + 1).filter((n) => !ids.has(n)),
    reordered,
    duplicates: again.map(({ n }) => n),
    duplicatesOfALife: Math.max(0, ...countBy(again, ({ life }) => life).values()),
    unmarked: again.filter(({ redelivered }) => !redelivered).map(({ n }) => n),
    renamed: again.filter(({ n, messageId }) => ids.get(n) !== messageId).map(({ n }) => n),
  }
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}

/** An event of a client: a number, or a gap. */
export type Received = number | 'gap'

/** The fate of the server's messages up to `last`. */
export interface Reception {
  /** The number of distinct messages that arrived. */
  readonly received: number
  /** Messages that did not arrive, with or without a gap. */
  readonly missed: readonly number[]
  /** Missing messages without a gap. */
  readonly unreported: readonly number[]
  readonly reordered: readonly number[]
  readonly duplicates: readonly number[]
  readonly gaps: number
  /** The number of messages missing at the end: after a gap, later messages must arrive. */
  readonly behind: number
}

/** Finds missing numbers in `first` … `last`, and checks that each is covered by a gap. */
export function judgeReception({ first, last }: { first: number; last: number }, seen: readonly Received[]): Reception {
  const numbers = new Set<number>()
  const [reordered, duplicates, missed, unreported]: [number[], number[], number[], number[]] = [[], [], [], []]
  let before = first - 1
  let hasGap = false
  const addMissing = (end: number): void => {
    for (let n = before + 1; n < end; n++) {
      missed.push(n)
      if (!hasGap) unreported.push(n)
    }
  }
  for (const item of seen) {
    if (item === 'gap') hasGap = true
    else if (numbers.has(item)) duplicates.push(item)
    else {
      numbers.add(item)
      if (item <= before) reordered.push(item)
      else {
        addMissing(item)
        before = item
        hasGap = false
      }
    }
  }
  addMissing(last + 1)
  const never = (n: number): boolean => !numbers.has(n)
  return {
    received: numbers.size,
    missed: missed.filter(never),
    unreported: unreported.filter(never),
    reordered,
    duplicates,
    gaps: seen.filter((item) => item === 'gap').length,
    behind: last - before,
  }
}
