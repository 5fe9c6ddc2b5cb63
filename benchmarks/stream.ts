/**
 * Measures how fast streams are split, compared with other splitters, in one interleaved run.
 * Speed is based on CPU time, so that other load does not affect it.
 */
import { cpus } from 'node:os'
import { createInterface } from 'node:readline'
import { Readable, type Duplex } from 'node:stream'
import { createChunkSplitter, createSplitter } from '@sdk/protocol'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7)
const MEGABYTES = Number(process.env['BENCH_MB'] ?? 8)

/** Feeds chunks to a splitter and passes on its results. */
type Contestant = (chunks: readonly Buffer[], onPiece: (piece: unknown) => void) => void | Promise<void>

interface Contest {
  readonly title: string
  readonly unit: 'ms CPU' | 'MB/s'
  readonly goal?: { readonly value: number; readonly isMet: (figure: number) => boolean }
  readonly chunks: readonly Buffer[]
  /** The sum that all pieces must add up to. */
  readonly sum: number
  readonly weigh: (piece: unknown) => number
  readonly contestants: Readonly<Record<string, Contestant>>
}

// Resolved at run time, so that the types compile without them.
const split2 = await load<() => Duplex>('default', () => import.meta.resolve('split2'))
const createParser = await load<
  (options: { onEvent: (event: { data: string }) => void }) => { feed: (text: string) => void }
>('createParser', () => import.meta.resolve('eventsource-parser'))

const ours: Contestant = (chunks, onPiece) => drain(createSplitter('\n'), chunks, onPiece)
const oursNdjson: Contestant = (chunks, onPiece) => drain(createChunkSplitter('ndjson'), chunks, onPiece)
const oursSse: Contestant = (chunks, onPiece) => drain(createChunkSplitter('sse'), chunks, onPiece)

const growingString: Contestant = (chunks, onPiece) => {
  const decoder = new TextDecoder()
  let buffer = ''
  for (const chunk of chunks) {
    buffer += decoder.decode(chunk, { stream: true })
    const lines = buffer.split('\n')
    buffer = lines.pop() ?? ''
    for (const line of lines) onPiece(line)
  }
  if (buffer !== '') onPiece(buffer)
}

const readline: Contestant = (chunks, onPiece) =>
  new Promise((resolve) => {
    createInterface({ input: Readable.from(chunks), crlfDelay: Infinity })
      .on('line', onPiece)
      .on('close', resolve)
  })

const viaSplit2: Contestant = (chunks, onPiece) =>
  new Promise((resolve, reject) => {
    if (split2 === null) throw new Error('split2 is not installed')
    Readable.from(chunks).pipe(split2()).on('data', onPiece).on('end', resolve).on('error', reject)
  })

const eventsourceParser: Contestant = (chunks, onPiece) => {
  const decoder = new TextDecoder()
  const parser = createParser?.({ onEvent: (event) => onPiece(JSON.parse(event.data)) })
  for (const chunk of chunks) parser?.feed(decoder.decode(chunk, { stream: true }))
}

const LINES = { 'growing string': growingString, 'node:readline': readline, ...(split2 && { split2: viaSplit2 }) }
const ASCII = 'The quick brown fox jumps over the lazy dog. '
const MULTI_BYTE = 'Žluťoučký kůň 漢字かな交じり文 🎉🚀 '

const contests: Contest[] = [
  {
    title: `${MEGABYTES} MB without a delimiter, 4 KiB chunks`,
    unit: 'ms CPU',
    goal: { value: 100, isMet: (figure) => figure <= 100 },
    chunks: cut(Buffer.from('x'.repeat(MEGABYTES * 2 ** 20)), 4096),
    sum: MEGABYTES * 2 ** 20,
    weigh: (piece) => String(piece).length,
    contestants: { '@sdk/protocol': ours, ...LINES },
  },
  ndjson('NDJSON with JSON.parse, ASCII, lines of ~100 B', ASCII, 100),
  ndjson('NDJSON with JSON.parse, ASCII, lines of ~1 kB', ASCII, 1000),
  ndjson('NDJSON with JSON.parse, multi-byte, lines of ~100 B', MULTI_BYTE, 100),
  ndjson('NDJSON with JSON.parse, multi-byte, lines of ~1 kB', MULTI_BYTE, 1000),
  sse('server-sent events with JSON.parse, ASCII, ~100 B', ASCII, 100),
  sse('server-sent events with JSON.parse, multi-byte, ~100 B', MULTI_BYTE, 100),
]

console.log(
  `${cpus().length} cores (${cpus()[0]?.model}), ${process.arch}, Node ${process.version}; medians of ${ROUNDS} interleaved rounds\n`,
)
for (const contest of contests) await hold(contest)

function ndjson(title: string, filler: string, size: number): Contest {
  const lines = records(filler, size).map((record) => `${record}\n`)
  const contestants = Object.entries(LINES).map(([name, run]): [string, Contestant] => [
    name,
    (chunks, onPiece) => run(chunks, (line) => onPiece(JSON.parse(String(line)))),
  ])
  const contest = speed(title, lines, { '@sdk/protocol': oursNdjson, ...Object.fromEntries(contestants) })
  return { ...contest, goal: { value: 60, isMet: (figure) => figure >= 60 } }
}

function sse(title: string, filler: string, size: number): Contest {
  const events = records(filler, size).map((record) => `data: ${record}\n\n`)
  return speed(title, events, {
    '@sdk/protocol': oursSse,
    ...(createParser && { 'eventsource-parser': eventsourceParser }),
  })
}

function speed(title: string, pieces: readonly string[], contestants: Contest['contestants']): Contest {
  return {
    title: `${title}, 16 KiB chunks`,
    unit: 'MB/s',
    chunks: cut(Buffer.from(pieces.join('')), 16_384),
    sum: pieces.length,
    weigh: (piece) => (piece as { weight: number }).weight,
    contestants,
  }
}

/** JSON records of about the given size in bytes, up to the given megabytes. */
function records(filler: string, size: number): string[] {
  const make = (id: number, text: string): string => JSON.stringify({ id, weight: 1, isDone: id % 2 === 0, text })
  const words = filler.split(/(?<= )/)
  let text = ''
  for (let next = 0; Buffer.byteLength(make(10_000, text)) < size; next++) text += words[next % words.length]
  return Array.from({ length: Math.floor((MEGABYTES * 2 ** 20) / size) }, (_, id) => make(id, text))
}

async function hold(contest: Contest): Promise<void> {
  const figures = new Map<string, number[]>()
  // The first round only warms up, and shows which splitters are too slow for more.
  const slow = new Set<string>()
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, contestant] of Object.entries(contest.contestants)) {
      if (slow.has(name)) continue
      const { figure, seconds } = await measure(contest, contestant)
      if (seconds > 2) slow.add(name)
      if (round > 0 || slow.has(name)) figures.set(name, [...(figures.get(name) ?? []), figure])
    }
  }
  report(contest, figures)
}

async function measure(
  { chunks, sum, weigh, unit }: Contest,
  contestant: Contestant,
): Promise<{ figure: number; seconds: number }> {
  let weight = 0
  const before = process.cpuUsage()
  await contestant(chunks, (piece) => {
    weight += weigh(piece)
  })
  const { user, system } = process.cpuUsage(before)
  if (weight !== sum) throw new Error(`the pieces add up to ${weight}, not to ${sum}`)
  const seconds = (user + system) / 1e6
  const bytes = chunks.reduce((total, chunk) => total + chunk.length, 0)
  return { figure: unit === 'MB/s' ? bytes / 1e6 / seconds : seconds * 1000, seconds }
}

function report({ title, unit, goal, contestants }: Contest, figures: ReadonlyMap<string, readonly number[]>): void {
  console.log(title)
  for (const name of Object.keys(contestants)) {
    const all = figures.get(name) ?? []
    const median = all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN
    const verdict =
      goal !== undefined && name === '@sdk/protocol'
        ? `  goal ${goal.value}: ${goal.isMet(median) ? 'met' : 'missed'}`
        : ''
    const range = all.length === 1 ? 'one run' : `${Math.min(...all).toFixed(0)}–${Math.max(...all).toFixed(0)}`
    console.log(`  ${name.padEnd(20)} ${median.toFixed(0).padStart(7)} ${unit}  (${range})${verdict}`)
  }
  console.log()
}

function drain<T>(
  splitter: { push: (bytes: Uint8Array) => Iterable<T>; end: () => Iterable<T> },
  chunks: readonly Buffer[],
  onPiece: (piece: T) => void,
): void {
  for (const chunk of chunks) for (const piece of splitter.push(chunk)) onPiece(piece)
  for (const piece of splitter.end()) onPiece(piece)
}

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

/** A peer that is installed with the benchmarks; its rows are omitted if it is not installed. */
async function load<T>(member: string, resolve: () => string): Promise<T | null> {
  try {
    const module = (await import(resolve())) as Record<string, T>
    return module[member] ?? null
  } catch (error) {
    console.log(`skipped, run npm install --prefix benchmarks: ${String(error)}`)
    return null
  }
}
