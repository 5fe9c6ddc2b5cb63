import { costOf, cpuBetween, type ServerProcess } from '../harness/server-process.ts'
import { createCollections, type Row } from './collections.mjs'
import { patch, percentiles, type Sample } from './rounds.ts'

/** The options of `poll`. */
export interface Polling {
  readonly subscribers: number
  readonly changes: number
  /** The time between two requests of a collection, in ms. */
  readonly everyMs: number
}

const PATH = '/api/v1/plain?listId=1'

/** Makes one change after another. Collections of TanStack DB request their page again at an interval. */
export async function poll(server: ServerProcess, { subscribers, changes, everyMs }: Polling): Promise<Sample> {
  const times: number[] = []
  let [bytes, started, missing, finish] = [0, 0, 0, (): void => {}]
  const queryFn = async (): Promise<Row[]> => {
    const text = await (await fetch(`http://127.0.0.1:${server.port}${PATH}`)).text()
    bytes += text.length
    return (JSON.parse(text) as { data: Row[] }).data
  }
  const { collections, clear } = createCollections({ count: subscribers, everyMs, queryFn })
  await Promise.all(collections.map((collection) => collection.preload()))
  const subscriptions = collections.map((collection) =>
    collection.subscribeChanges(() => {
      times.push(performance.now() - started)
      if (--missing === 0) finish()
    }),
  )
  const before = await costOf(server)
  bytes = 0
  for (let turn = 0; turn < changes; turn++) {
    const all = new Promise<void>((resolve) => (finish = resolve))
    started = performance.now()
    missing = subscribers
    await patch(server, 'plain', 1)
    await all
  }
  const cpu = cpuBetween(before, await costOf(server))
  for (const subscription of subscriptions) subscription.unsubscribe()
  await Promise.all(collections.map((collection) => collection.cleanup()))
  clear()
  return { change: cpu / changes, update: cpu / times.length, bytes: bytes / times.length, ...percentiles(times) }
}
