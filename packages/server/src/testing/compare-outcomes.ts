import type { CrashOutcome, RunOutcome } from './crash-run.ts'
import type { LostEnd } from './crashing-process.ts'
import { createComparison, matchTexts, type IsSameText } from './same-text.ts'

/**
 * Returns the first difference between the outcomes of a run without and with a crash, or null. Values that come from
 * steps may differ, such as an id that the database assigns.
 */
export function findDifference(expected: CrashOutcome, actual: CrashOutcome): string | null {
  const isSame = createComparison(expected, actual)
  const compareRuns = (compare: (run: RunOutcome, other: RunOutcome) => string | null): string | null =>
    firstOf(expected.runs, (run, at) => compare(run, actual.runs[at] ?? run))
  return (
    compareRunCounts(expected.runs, actual.runs) ??
    compareRuns((run, other) => compareSteps(run, other, isSame)) ??
    compareRuns(compareEnds) ??
    compareEffects(expected, actual, isSame) ??
    compareRuns((run, other) => compareResults(run, other, isSame)) ??
    firstOf(actual.lost, (lost) => compareLost(lost, actual))
  )
}

function compareRunCounts(expected: readonly RunOutcome[], actual: readonly RunOutcome[]): string | null {
  const [wanted, got] = [expected, actual].map((runs) => runs.map(({ agent }) => agent).join(', '))
  return wanted === got ? null : `runs were started of ${got} instead of ${wanted}: start them with ctx.start`
}

function compareSteps(
  { steps: expected }: RunOutcome,
  { steps: actual }: RunOutcome,
  isSame: IsSameText,
): string | null {
  if (expected.size === actual.size && [...expected.keys()].every((name) => actual.has(name))) return null
  const matches = matchTexts([...expected.keys()], [...actual.keys()], isSame)
  const found = new Set(matches.values())
  const missing = [...expected.keys()].find((name) => !found.has(name))
  const added = [...actual.keys()].find((name) => !matches.has(name))
  const name = missing ?? added
  if (name === undefined) return null
  const what = `the step ${JSON.stringify(name)} ${missing === undefined ? 'was added' : 'is missing'}`
  const base = name.replace(/#\d+$/, '')
  const isLoop = name !== base || [...expected.keys(), ...actual.keys()].some((one) => one.startsWith(`${base}#`))
  return isLoop
    ? `${what}, a wrong name in a loop: name each step after its item, as in \`${base} \${item.id}\``
    : `${what}, since the handler takes another way: move the value that it depends on into a step`
}

function compareEnds(expected: RunOutcome, actual: RunOutcome): string | null {
  if (expected.status === actual.status) return null
  const reason = actual.error === '' ? '' : ` with ${actual.error}`
  return `the run of ${actual.agent} is ${actual.status}${reason} instead of ${expected.status}`
}

function compareEffects(expected: CrashOutcome, actual: CrashOutcome, isSame: IsSameText): string | null {
  const wanted = countEach(expected.effects)
  const matches = matchTexts([...wanted.keys()], [...new Set(actual.effects)], isSame)
  const toWanted = (text: string): string =>
    matches.get(text) ?? [...wanted.keys()].find((effect) => isSame(effect, text)) ?? text
  const got = countEach(actual.effects.map(toWanted))
  const missing = [...wanted.keys()].find((effect) => !got.has(effect))
  const added = [...got.keys()].find((effect) => !wanted.has(effect))
  // The body of a step may run again, so its effects may happen more often.
  const isRepeated = [...actual.bodies].some(([step, count]) => count > (expected.bodies.get(step) ?? 0))
  const outside = isRepeated ? undefined : [...wanted].find(([effect, count]) => got.get(effect) !== count)
  if (missing !== undefined && added !== undefined)
    return `the effect ${missing} became ${added}, a random value outside of a step: move it into a step`
  if (missing !== undefined)
    return `the effect ${missing} is missing, possibly a wrong name in a loop: name each step after its item`
  if (added !== undefined) return `the effect ${added} was added: move what it depends on into a step`
  if (outside === undefined) return null
  const [effect, count] = outside
  return `the effect ${effect} happened ${got.get(effect)} times instead of ${count}, an effect outside of a step: move it into a step`
}

const RANDOM = 'a random value or a time outside of a step: move it into a step'

function compareResults(expected: Results, { agent, output, chunks }: RunOutcome, isSame: IsSameText): string | null {
  if (!isSame(expected.output, output))
    return `the output of ${agent} is ${output} instead of ${expected.output}, ${RANDOM}`
  const at = expected.chunks.findIndex((chunk, index) => !isSame(chunk, chunks[index] ?? ''))
  if (at === -1 && chunks.length === expected.chunks.length) return null
  const index = at === -1 ? expected.chunks.length : at
  return `chunk ${index} of ${agent} is ${chunks[index]} instead of ${expected.chunks[index]}, ${RANDOM}`
}

type Results = Pick<RunOutcome, 'output' | 'chunks'>

/** Compares the results of a run whose end was lost with those after that. All its steps were stored, so both are equal. */
function compareLost({ id, ...lost }: LostEnd, { runs }: CrashOutcome): string | null {
  const run = runs.find((one) => one.id === id)
  return run === undefined ? null : compareResults(lost, run, (one, two) => one === two)
}

function countEach(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

/** Returns the first result that is not null. */
function firstOf<T>(items: readonly T[], find: (item: T, at: number) => string | null): string | null {
  for (const [at, item] of items.entries()) {
    const found = find(item, at)
    if (found !== null) return found
  }
  return null
}
