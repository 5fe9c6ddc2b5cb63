import type { CrashOutcome } from './crash-run.ts'

/** Returns whether two texts are the same, except for values that come from steps. */
export type IsSameText = (expected: string, actual: string) => boolean

/** Two values of the same place in a step, without and with a crash. */
type Pair = readonly [expected: string, actual: string]

/** Creates the comparison of the texts of two runs. The value of a step may differ, such as an id that a database assigns. */
export function createComparison(expected: CrashOutcome, actual: CrashOutcome): IsSameText {
  const known = leavesOf(expected)
  const pairs = new Map<string, Pair>()
  for (const [place, leaf] of leavesOf(actual)) {
    const other = known.get(place)
    if (other !== undefined && other !== leaf && leaf !== '') pairs.set(JSON.stringify([other, leaf]), [other, leaf])
  }
  return (one, two) => one === two || (pairs.size > 0 && canReplace(one, two, [...pairs.values()]))
}

/** Returns whether one text becomes the other if some of its words are replaced by the other value of their pair. */
function canReplace(one: string, two: string, pairs: readonly Pair[]): boolean {
  const open: [number, number][] = [[0, 0]]
  const seen = new Set<number>()
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const [i, j] = place
    if (i === one.length && j === two.length) return true
    const key = i * (two.length + 1) + j
    if (seen.has(key)) continue
    seen.add(key)
    if (i < one.length && one[i] === two[j]) open.push([i + 1, j + 1])
    if (!isWordEdge(one, i) || !isWordEdge(two, j)) continue
    for (const [from, to] of pairs)
      if (isWordAt(one, i, from) && isWordAt(two, j, to)) open.push([i + from.length, j + to.length])
  }
  return false
}

function isWordAt(text: string, at: number, word: string): boolean {
  return text.startsWith(word, at) && isWordEdge(text, at + word.length)
}

/** Returns whether a word can begin or end at a place in a text. */
function isWordEdge(text: string, at: number): boolean {
  return !/^[\p{L}\p{N}]{2}/u.test(text.slice(Math.max(0, at - 1), at + 1))
}

/** Assigns each actual text to the expected text that it is the same as. No two are assigned to the same one. */
export function matchTexts(
  expected: readonly string[],
  actual: readonly string[],
  isSame: IsSameText,
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  /** Assigns a text, and if necessary others anew. */
  const assign = (text: string, tried: Set<string>): boolean =>
    expected.some((other) => {
      if (tried.has(other) || !isSame(other, text)) return false
      tried.add(other)
      const owner = owners.get(other)
      if (owner !== undefined && !assign(owner, tried)) return false
      owners.set(other, text)
      return true
    })
  for (const text of actual) assign(text, new Set())
  return new Map([...owners].map(([other, text]) => [text, other]))
}

/** Returns the strings and numbers that come from steps, as they appear in JSON, by their place. */
function leavesOf({ runs, yields }: CrashOutcome): Map<string, string> {
  const leaves = new Map<string, string>()
  const add = (place: string, value: unknown): void => {
    if (typeof value === 'string') leaves.set(place, JSON.stringify(value).slice(1, -1))
    else if (typeof value === 'number') leaves.set(place, String(value))
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) add(`${place}.${name}`, inner)
  }
  for (const [at, { id, steps }] of runs.entries()) {
    add(`${at}`, id)
    for (const [name, value] of steps) if (value !== null) add(`${at} ${name}`, JSON.parse(value) as unknown)
  }
  for (const [step, chunks] of yields) add(step, chunks)
  return leaves
}
