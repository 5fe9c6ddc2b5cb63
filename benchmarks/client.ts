/**
 * Measures the bundle size of the client, and the cost of 20,000 streamed chunks in a browser, compared with its peers.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg } from 'node:os'
import { bundle, type Bundle } from './client/bundle.ts'
import { costOfStream, type StreamCost, type Unfinished } from './client/stream-cost.ts'
import { startStreamServer } from './client/stream-server.ts'
import { middle } from './harness/middle.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const CHUNKS = Number(process.env['BENCH_CHUNKS'] ?? 20_000)
const LIMIT_MS = Number(process.env['BENCH_LIMIT_MS'] ?? 60_000)
const CASES = (process.env['BENCH_CASES'] ?? 'sizes,burst,paced').split(',')

const APPS: Readonly<Record<string, string>> = {
  'sdk-api': '@sdk/react: SdkProvider, useAPI',
  'sdk-socket': '@sdk/react: the same and useWebsocket',
  tanstack: 'TanStack Query and fetch',
  trpc: 'tRPC and TanStack Query',
  orpc: 'oRPC and TanStack Query',
  swr: 'SWR and fetch',
  'ai-completion': 'AI SDK, useCompletion',
  'ai-chat': 'AI SDK, useChat',
  'sdk-http-client': '@sdk/frontend: createHttpClient, no React',
  'sdk-client': '@sdk/frontend: createClient, no React',
  hono: 'hono/client, no React',
}

/** The size limits of our client in kB (gzip): without and with TanStack Query. */
const SIZE_GOALS = [4.5, 14] as const
const STREAM_GOAL = { busy: 200, rendersAFrame: 1 } as const

const ALL_STREAMS: Readonly<Record<string, string>> = {
  bytes: 'the floor: bytes are read, not parsed',
  'by-hand': 'by hand, once a frame',
  sdk: '@sdk/react: useAPI, POST',
  'sdk-get': '@sdk/react: useAPI, GET',
  tanstack: 'streamedQuery',
  'tanstack-unshared': 'streamedQuery, not shared',
  'ai-completion': 'useCompletion, text',
  'ai-chat': 'useChat, text',
  'ai-chat-throttled': 'useChat, text, throttle: 50',
  'ai-chat-parts': 'useChat, data parts',
  'ai-chat-parts-throttled': 'useChat, data parts, throttle: 50',
}
const STREAMS = (process.env['BENCH_STREAMS'] ?? Object.keys(ALL_STREAMS).join(',')).split(',')
/** The duration of a stream in ms, by case. */
const PACES: Readonly<Record<string, number>> = { burst: 0, paced: 2000 }

/** Not counted, since every app includes React. */
const REACT = ['react', 'react/jsx-runtime']
const QUERY = ['@tanstack/react-query', '@tanstack/query-core']

console.log(
  `${cpus().length} cores (${cpus()[0]?.model}), ${process.arch}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}; esbuild ${versionOf('esbuild')}\n`,
)
if (CASES.includes('sizes')) await weigh()
const paced = CASES.filter((name) => name in PACES)
if (paced.length > 0) await takeStreams(paced)

async function weigh(): Promise<void> {
  console.log('kB, minified / and by gzip, without TanStack Query | with it')
  for (const [name, title] of Object.entries(APPS)) {
    const alone = await bundle(`apps/${name}.mjs`, [...REACT, ...QUERY])
    const whole = await bundle(`apps/${name}.mjs`, REACT)
    const verdict = name === 'sdk-api' ? `  ${judgeSizes(alone, whole)}` : ''
    console.log(`  ${title.padEnd(44)} ${toKb(alone)} | ${toKb(whole)}${verdict}`)
    if (name.startsWith('sdk-')) console.log(`    ${largest(alone)}`)
  }
  console.log()
}

function judgeSizes(...bundles: Bundle[]): string {
  return bundles.map(({ gzip }, index) => judge(gzip / 1000, SIZE_GOALS[index] ?? 0)).join(', ')
}

function largest({ parts }: Bundle): string {
  const short = (file: string): string => file.replace(/^.*packages\//, '').replace('/dist/', '/')
  return parts
    .slice(0, 6)
    .map(([file, bytes]) => `${short(file)} ${bytes}`)
    .join(', ')
}

function toKb({ size, gzip }: Bundle): string {
  return `${(size / 1000).toFixed(1).padStart(6)} / ${(gzip / 1000).toFixed(2).padStart(5)}`
}

async function takeStreams(cases: readonly string[]): Promise<void> {
  const pages = new Map<string, string>()
  for (const name of STREAMS) pages.set(name, (await bundle(`streams/${name}.mjs`)).code)
  const server = await startStreamServer(pages, CHUNKS)
  const costs = new Map<string, (StreamCost | Unfinished)[]>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const key of cases.flatMap((name) => STREAMS.map((stream) => `${name} ${stream}`))) {
      const earlier = costs.get(key) ?? []
      if (earlier.some(isSlow)) continue
      const [name = '', stream = ''] = key.split(' ')
      server.pace = PACES[name] ?? 0
      const cost = await costOfStream(`${server.origin}/page/${stream}`, CHUNKS, LIMIT_MS)
      costs.set(key, [...earlier, cost])
    }
  }
  server.close()
  for (const name of cases) report(name, costs)
}

/** Cases slower than this are measured only once. */
function isSlow(cost: StreamCost | Unfinished): boolean {
  return !isEnded(cost) || cost.took > LIMIT_MS / 12
}

function report(name: string, costs: ReadonlyMap<string, readonly (StreamCost | Unfinished)[]>): void {
  const how = PACES[name] === 0 ? 'as fast as it goes' : `in ${PACES[name]} ms`
  console.log(`${CHUNKS} chunks, sent ${how}; medians of ${ROUNDS} interleaved rounds, each on a new page`)
  // A paced stream renders many frames. Their cost, measured with `bytes`, is not the cost of the chunks.
  const floor = PACES[name] === 0 ? 0 : busyOf(costs.get(`${name} bytes`) ?? [])
  for (const stream of STREAMS) {
    const all = costs.get(`${name} ${stream}`) ?? []
    const verdict = stream.startsWith('sdk') ? `; ${judgeStream(all, floor)}` : ''
    console.log(`  ${(ALL_STREAMS[stream] ?? stream).padEnd(38)} ${describe(all)}${verdict}`)
  }
  console.log()
}

function describe(all: readonly (StreamCost | Unfinished)[]): string {
  const [first] = all
  if (first !== undefined && 'used' in first)
    return `not ended after ${LIMIT_MS / 1000} s and ${first.used.toFixed(0)} ms CPU${first.isFrozen ? ', frozen' : ''}`
  const of = (figure: (cost: StreamCost) => number): number => middle(all.filter(isEnded).map(figure))
  const times = all.filter(isEnded).map(({ busy }) => busy.toFixed(0))
  return [
    `${busyOf(all).toFixed(0).padStart(6)} ms CPU (${times.join(' ')})`,
    `${of(({ renders }) => renders)} renders in ${of(({ frames }) => frames)} frames, most ${of(({ most }) => most)}`,
    `shown after ${of(({ took }) => took).toFixed(0)} ms, no frame for ${of(({ longest }) => longest).toFixed(0)} ms`,
  ].join('; ')
}

function judgeStream(all: readonly (StreamCost | Unfinished)[], floor: number): string {
  const aFrame = middle(all.filter(isEnded).map(({ renders, frames }) => renders / frames))
  const busy = busyOf(all) - floor
  const judged = `${busy.toFixed(0)} ms${floor === 0 ? '' : ' over the floor'} (${judge(busy, STREAM_GOAL.busy)})`
  return `${judged}, ${aFrame.toFixed(2)} renders a frame (${judge(aFrame, STREAM_GOAL.rendersAFrame)})`
}

function busyOf(all: readonly (StreamCost | Unfinished)[]): number {
  return middle(all.filter(isEnded).map(({ busy }) => busy))
}

function isEnded(cost: StreamCost | Unfinished): cost is StreamCost {
  return 'busy' in cost
}

function judge(figure: number, goal: number): string {
  return `goal ${goal}: ${figure <= goal ? 'met' : 'missed'}`
}

function versionOf(name: string): string {
  const file = createRequire(import.meta.url).resolve(`${name}/package.json`)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
