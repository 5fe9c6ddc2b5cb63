import { costOf, cpuBetween, type ServerProcess } from '../harness/server-process.ts'
import { send } from './http.ts'
import { openSubscribers, type Subscribers } from './subscribers.ts'

/** The result of a round of changes. */
export interface Sample {
  /** Microseconds of CPU of the server per change. */
  readonly change: number
  /** Microseconds of CPU of the server per received update. */
  readonly update: number
  /** Bytes per received update. */
  readonly bytes: number
  /** Milliseconds from a change to its last update, or to each of them at a fixed pace. */
  readonly p50: number
  readonly p99: number
}

/** Subscribers and the changes that they receive. */
export interface Scene {
  readonly subscribers: number
  /** The list of a subscriber. */
  queryOf(index: number): Readonly<Record<string, unknown>>
  /** The row of a change, and the number of subscribers that receive it. */
  changeOf(turn: number): { readonly id: number; readonly receivers: number }
  readonly changes: number
}

let turns = 0

/** Makes one change after another through HTTP. The next one follows when all subscribers have received the last one. */
export async function push(server: ServerProcess, scene: Scene): Promise<Sample> {
  const subscribers = await openSubscribers(server, scene.subscribers, scene.queryOf)
  const times: number[] = []
  const next = (turn: number): Promise<void> => changeOnce(server, subscribers, { scene, turn, times })
  for (let turn = 0; turn < 5; turn++) await next(turn)
  times.length = 0
  const start = { ...subscribers.received }
  const before = await costOf(server)
  for (let turn = 0; turn < scene.changes; turn++) await next(turn)
  const cpu = cpuBetween(before, await costOf(server))
  subscribers.close()
  const updates = subscribers.received.updates - start.updates
  const bytes = subscribers.received.bytes - start.bytes
  return { change: cpu / scene.changes, update: cpu / updates, bytes: bytes / updates, ...percentiles(times) }
}

async function changeOnce(
  server: ServerProcess,
  subscribers: Subscribers,
  { scene, turn, times }: { scene: Scene; turn: number; times: number[] },
): Promise<void> {
  const { id, receivers } = scene.changeOf(turn)
  const all = subscribers.until(subscribers.received.updates + receivers)
  const started = performance.now()
  const { status } = await patch(server, 'tasks', id)
  if (status !== 200) throw new Error(`a change was answered with ${status}`)
  await all
  times.push(performance.now() - started)
}

/** Makes one change after another. Each is answered when all lists in the server's process have been updated. */
export async function updateLists(server: ServerProcess, { changeOf, changes, subscribers }: Scene): Promise<Sample> {
  const times: number[] = []
  const before = await costOf(server)
  for (let turn = 0; turn < changes; turn++) {
    const started = performance.now()
    await patch(server, 'tasks', changeOf(turn).id)
    times.push(performance.now() - started)
  }
  const cpu = cpuBetween(before, await costOf(server))
  return { change: cpu / changes, update: cpu / changes / subscribers, bytes: Number.NaN, ...percentiles(times) }
}

/** Makes changes at a fixed pace. The time of a change ends with its last update. */
export async function pace(server: ServerProcess, scene: Scene, perSecond: number): Promise<Sample> {
  const subscribers = await openSubscribers(server, scene.subscribers, scene.queryOf)
  const times: number[] = []
  const sent: Promise<void>[] = []
  const before = await costOf(server)
  const start = { ...subscribers.received }
  let expected = start.updates
  for (let turn = 0; turn < scene.changes; turn++) {
    const { id, receivers } = scene.changeOf(turn)
    expected += receivers
    const [target, started] = [expected, performance.now()]
    const wait = async (): Promise<void> => {
      await patch(server, 'tasks', id)
      while (subscribers.received.updates < target) await new Promise((resolve) => setTimeout(resolve, 1))
      times.push(performance.now() - started)
    }
    sent.push(wait())
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 / perSecond)))
  }
  await Promise.all(sent)
  const cpu = cpuBetween(before, await costOf(server))
  subscribers.close()
  const { updates, bytes } = subscribers.received
  const count = updates - start.updates
  return {
    change: cpu / scene.changes,
    update: cpu / count,
    bytes: (bytes - start.bytes) / count,
    ...percentiles(times),
  }
}

/** Makes changes, after each of which every subscriber reads its page again with `If-None-Match`. */
export async function refetch(server: ServerProcess, scene: Scene, path: string): Promise<Sample> {
  let { etag } = await send(server.port, 'GET', path)
  let [bytes, count] = [0, 0]
  const before = await costOf(server)
  for (let turn = 0; turn < scene.changes; turn++) {
    const { id, receivers } = scene.changeOf(turn)
    await patch(server, 'plain', id)
    const answers = await Promise.all(
      Array.from({ length: receivers }, () => send(server.port, 'GET', path, { headers: { 'if-none-match': etag } })),
    )
    if (answers.some(({ status }) => status !== 200)) throw new Error('a changed page was not sent')
    etag = answers[0]?.etag ?? ''
    bytes += answers.reduce((sum, answer) => sum + answer.bytes, 0)
    count += answers.length
  }
  const cpu = cpuBetween(before, await costOf(server))
  const none = { p50: Number.NaN, p99: Number.NaN }
  return { change: cpu / scene.changes, update: cpu / count, bytes: bytes / count, ...none }
}

/** Changes rows without subscribers. Returns the microseconds of CPU per change. */
export async function write(server: ServerProcess, scene: Scene): Promise<number> {
  const before = await costOf(server)
  for (let turn = 0; turn < scene.changes; turn++) await patch(server, 'plain', scene.changeOf(turn).id)
  return cpuBetween(before, await costOf(server)) / scene.changes
}

/** Changes the title of a row. */
export function patch(server: ServerProcess, resource: 'tasks' | 'plain', id: number): ReturnType<typeof send> {
  return send(server.port, 'PATCH', `/api/v1/${resource}/${id}`, { body: { title: `Task ${id}, ${++turns}` } })
}

/** Returns the median and the 99th percentile. */
export function percentiles(times: readonly number[]): Pick<Sample, 'p50' | 'p99'> {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}
