/** The indexes of two list items that are shown side by side. An index is null if the other item has no partner. */
export type Pair = readonly [a: number | null, b: number | null]

/** The remaining number of alignment steps. A budget can be shared to limit the total work for many lists. */
export interface Budget {
  steps: number
}

/** The number of differences above which lists are paired by index. */
const MAX_DIFFERENCES = 1000

/** Creates a budget that limits the work to well under a second. */
export function createBudget(): Budget {
  return { steps: 5_000_000 }
}

/**
 * Aligns two lists of keys: pairs as many equal items as possible, in order, and puts the other items in between. When
 * the budget is exhausted, the remaining items are paired by index.
 */
export function align(a: readonly unknown[], b: readonly unknown[], budget: Budget = createBudget()): Pair[] {
  const start = commonStart(a, b)
  const end = commonEnd(a, b, start)
  const [placesA, placesB] = [range(start, a.length - end), range(start, b.length - end)]
  const middle = matchMiddle({ a, b }, { a: placesA, b: placesB }, budget)
  return [
    ...pairByIndex(range(0, start), range(0, start)),
    ...(middle === null ? pairByIndex(placesA, placesB) : withRest(middle, placesA, placesB)),
    ...pairByIndex(range(a.length - end, a.length), range(b.length - end, b.length)),
  ]
}

interface Both<T> {
  readonly a: T
  readonly b: T
}

type Match = readonly [a: number, b: number]

function commonStart(a: readonly unknown[], b: readonly unknown[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}

function commonEnd(a: readonly unknown[], b: readonly unknown[], start: number): number {
  const most = Math.min(a.length, b.length) - start
  let count = 0
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++
  return count
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, step) => from + step)
}

function pairByIndex(a: readonly number[], b: readonly number[]): Pair[] {
  return range(0, Math.max(a.length, b.length)).map((place): Pair => [a[place] ?? null, b[place] ?? null])
}

/**
 * Matches only keys that appear in both lists, which saves most of the work. Returns null if this would take too long.
 */
function matchMiddle(keys: Both<readonly unknown[]>, places: Both<readonly number[]>, budget: Budget): Match[] | null {
  const [inA, inB] = [new Set(places.a.map((at) => keys.a[at])), new Set(places.b.map((at) => keys.b[at]))]
  const a = places.a.filter((at) => inB.has(keys.a[at]))
  const b = places.b.filter((at) => inA.has(keys.b[at]))
  const found = findMatches(
    a.map((at) => keys.a[at]),
    b.map((at) => keys.b[at]),
    budget,
  )
  return found?.map(([i, j]): Match => [a[i] ?? 0, b[j] ?? 0]) ?? null
}

/** Adds the items without a partner between the matches: first those from `a`, then those from `b`. */
function withRest(matches: readonly Match[], a: readonly number[], b: readonly number[]): Pair[] {
  const pairs: Pair[] = []
  let [nextA, nextB] = [0, 0]
  const [firstA = 0, firstB = 0] = [a[0], b[0]]
  for (const [i, j] of [...matches, [firstA + a.length, firstB + b.length] as const]) {
    while (firstA + nextA < i) pairs.push([firstA + nextA++, null])
    while (firstB + nextB < j) pairs.push([null, firstB + nextB++])
    if (nextA < a.length && nextB < b.length) pairs.push([firstA + nextA++, firstB + nextB++])
  }
  return pairs
}

/**
 * Runs Myers' greedy diff algorithm, or returns null if it would take too long. `reach[d]` contains the furthest
 * position in `a` on each diagonal that can be reached with `d` differences.
 */
function findMatches(a: readonly unknown[], b: readonly unknown[], budget: Budget): Match[] | null {
  const reach: Int32Array[] = []
  for (let d = 0; d <= Math.min(MAX_DIFFERENCES, a.length + b.length); d++) {
    const row = new Int32Array(2 * d + 1)
    reach.push(row)
    for (let k = -d; k <= d; k += 2) {
      const begin = beginOf(reach, d, k)
      let x = begin
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      budget.steps -= x - begin + 1
      row[k + d] = x
      if (x >= a.length && x - k >= b.length) return walkBack(reach, a.length, b.length)
    }
    if (budget.steps < 0) return null
  }
  return null
}

/**
 * Returns the start of diagonal `k` with `d` differences: one step down from diagonal `k + 1`, or right from `k - 1`.
 */
function beginOf(reach: readonly Int32Array[], d: number, k: number): number {
  if (d === 0) return 0
  return isDown(reach, d, k) ? reachOf(reach, d - 1, k + 1) : reachOf(reach, d - 1, k - 1) + 1
}

function isDown(reach: readonly Int32Array[], d: number, k: number): boolean {
  return k === -d || (k !== d && reachOf(reach, d - 1, k - 1) < reachOf(reach, d - 1, k + 1))
}

function reachOf(reach: readonly Int32Array[], d: number, k: number): number {
  return reach[d]?.[k + d] ?? 0
}

function walkBack(reach: readonly Int32Array[], lengthA: number, lengthB: number): Match[] {
  const matches: Match[] = []
  let [x, y] = [lengthA, lengthB]
  for (let d = reach.length - 1; d >= 0; d--) {
    const k = x - y
    const begin = beginOf(reach, d, k)
    while (x > begin) matches.push([--x, --y])
    if (d === 0) break
    if (isDown(reach, d, k)) y--
    else x--
  }
  return matches.toReversed()
}
