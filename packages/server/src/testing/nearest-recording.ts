import { toCanonical, type ModelRecording, type ModelRequest } from './model-recording.ts'

/** The place of a value in a request, and the value as JSON. */
type Leaf = readonly [place: string, text: string]

/** A recording and the name of its file. */
export interface RecordingFile {
  readonly name: string
  readonly recording: ModelRecording
}

/** Describes the recording that is most similar to a request: its file and the first value that differs. */
export function describeNearest(request: ModelRequest, files: readonly RecordingFile[]): string | null {
  const leaves = leavesOf(request)
  const words = wordsOf(leaves)
  let nearest: { name: string; others: readonly Leaf[]; score: number } | null = null
  for (const { name, recording } of files) {
    const others = leavesOf(recording)
    const known = wordsOf(others)
    const score = [...known].filter((word) => words.has(word)).length / (words.size + known.size)
    if (nearest === null || score > nearest.score) nearest = { name, others, score }
  }
  return nearest && `the nearest, ${nearest.name}, differs in ${describeDifference(leaves, nearest.others)}`
}

/** Returns the words of all values, each with its place. */
function wordsOf(leaves: readonly Leaf[]): Set<string> {
  return new Set(leaves.flatMap(([place, text]) => text.split(/\s+/).map((word) => `${place} ${word}`)))
}

function leavesOf({ method, path, model = {}, body }: ModelRequest): Leaf[] {
  const leaves: Leaf[] = []
  const add = (place: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) leaves.push([place, JSON.stringify(value)])
    else for (const [name, item] of Object.entries(value)) add(placeOf(value, place, name), item)
  }
  for (const [name, value] of Object.entries({ method, path, ...model, body })) add(name, toCanonical(value))
  return leaves
}

function placeOf(parent: object, place: string, name: string): string {
  return Array.isArray(parent) ? `${place}[${name}]` : `${place}.${name}`
}

function describeDifference(leaves: readonly Leaf[], others: readonly Leaf[]): string {
  const [mine, recorded] = [new Map(leaves), new Map(others)]
  const place = [...new Map([...others, ...leaves]).keys()].find((one) => mine.get(one) !== recorded.get(one)) ?? 'host'
  const [got = 'nothing', wanted = 'nothing'] = [mine.get(place), recorded.get(place)]
  let start = 0
  while (start < got.length && got[start] === wanted[start]) start++
  return `${place}: got ${cutAround(got, start)}, recorded ${cutAround(wanted, start)}`
}

/** Returns the part of a text around a position. */
function cutAround(text: string, at: number): string {
  const [from, to] = [Math.max(0, at - 40), at + 60]
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`
}
