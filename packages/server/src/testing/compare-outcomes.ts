import type { CrashOutcome, RunOutcome } from './crash-run.ts'

/**
 * Returns the first difference between the outcomes of a run without and with a crash, or null. Values that come from
 * steps may differ, such as an id that the database assigns.
 */
export function findDifference(expected: CrashOutcome, actual: CrashOutcome): string | null {
  const translate = createTranslation(expected, actual)
  return (
    compareRunCounts(expected.runs, actual.runs) ??
    firstOf(expected.runs, (run, at) => compareSteps(run, actual.runs[at] ?? run, translate)) ??
    firstOf(expected.runs, (run, at) => compareEnds(run, actual.runs[at] ?? run)) ??
    compareEffects(expected, actual, translate) ??
    firstOf(expected.runs, (run, at) => compareResults(run, actual.runs[at] ?? run, translate))
  )
}

function compareRunCounts(expected: readonly RunOutcome[], actual: readonly RunOutcome[]): string | null {
  const [wanted, got] = [expected, actual].map((runs) => runs.map(({ agent }) => agent).join(', '))
  return wanted === got ? null : `runs were started of ${got} instead of ${wanted}: start them with ctx.start`
}

function compareSteps({ steps: expected }: RunOutcome, { steps }: RunOutcome, translate: Translate): string | null {
  const actual = new Set(Array.from(steps.keys(), (name) => translate(name)))
  const missing = [...expected.keys()].find((name) => !actual.has(name))
  const added = [...actual].find((name) => !expected.has(name))
  const name = missing ?? added
  if (name === undefined) return null
  const what = `the step ${JSON.stringify(name)} ${missing === undefined ? 'was added' : 'is missing'}`
  const base = name.replace(/#\d+$/, '')
  const isLoop = name !== base || [...expected.keys(), ...actual].some((one) => one.startsWith(`${base}#`))
  return isLoop
    ? `${what}, a wrong name in a loop: name each step after its item, as in \`${base} \${item.id}\``
    : `${what}, since the handler takes another way: move the value that it depends on into a step`
}

function compareEnds(expected: RunOutcome, actual: RunOutcome): string | null {
  if (expected.status === actual.status) return null
  const reason = actual.error === '' ? '' : ` with ${actual.error}`
  return `the run of ${actual.agent} is ${actual.status}${reason} instead of ${expected.status}`
}

function compareEffects(expected: CrashOutcome, actual: CrashOutcome, translate: Translate): string | null {
  const [wanted, got] = [countEach(expected.effects), countEach(actual.effects.map((text) => translate(text)))]
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

function compareResults(expected: RunOutcome, actual: RunOutcome, translate: Translate): string | null {
  const fix = 'a random value or a time outside of a step: move it into a step'
  const output = translate(actual.output)
  if (output !== expected.output)
    return `the output of ${actual.agent} is ${output} instead of ${expected.output}, ${fix}`
  const chunks = actual.chunks.map((chunk) => translate(chunk))
  const at = expected.chunks.findIndex((chunk, index) => chunk !== chunks[index])
  if (at === -1 && chunks.length === expected.chunks.length) return null
  const index = at === -1 ? expected.chunks.length : at
  return `chunk ${index} of ${actual.agent} is ${chunks[index]} instead of ${expected.chunks[index]}, ${fix}`
}

/** Replaces the values of steps in a text with those of the run without a crash. */
type Translate = (text: string) => string

function createTranslation(expected: CrashOutcome, actual: CrashOutcome): Translate {
  const known = leavesOf(expected)
  const pairs = [...leavesOf(actual)].flatMap(([path, leaf]) => {
    const other = known.get(path)
    return other === undefined || other === leaf || leaf === '' ? [] : [[leaf, other] as const]
  })
  if (pairs.length === 0) return (text) => text
  const table = new Map(pairs)
  const longestFirst = [...table.keys()].toSorted((a, b) => b.length - a.length)
  const alternatives = longestFirst.map((leaf) => leaf.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)).join('|')
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${alternatives})(?![\p{L}\p{N}])`, 'gu')
  return (text) => text.replaceAll(pattern, (leaf) => table.get(leaf) ?? leaf)
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
