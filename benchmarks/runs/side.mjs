// The parts that all libraries share: the loop that their runs repeat, and the answers to the benchmark's process.

/** The database of this library. */
export const databaseUrl = process.env.BENCH_DATABASE

/** The size of every pool. */
export const POOL = 10

/** What a step returns, and what a chunk contains. */
export const VALUE = { text: 'The quick brown fox jumps over the lazy dog', count: 41, tags: ['one', 'two', 'three'] }

/** Returns the time in microseconds, from a clock that all processes of the machine share. */
export const now = () => Number(process.hrtime.bigint() / 1000n)

/** Repeats work for `ms` milliseconds. A run returns the result. */
export async function repeat(ms, work) {
  const from = performance.now()
  let count = 0
  for (; performance.now() < from + ms; count++) await work(count)
  return { count, from, to: performance.now() }
}

/** Adds the results of several runs: the time is from the first step of all runs to the last one. */
export function total(all) {
  const [from, to] = [Math.min(...all.map((one) => one.from)), Math.max(...all.map((one) => one.to))]
  return { count: all.reduce((sum, one) => sum + one.count, 0), ms: to - from }
}

/** Calls `start` `runs` times at once, and adds the results. */
export async function startAll(runs, start) {
  return total(await Promise.all(Array.from({ length: runs }, start)))
}

/** Counts the jobs of a round. */
export function createJobCounter() {
  let left = 0
  let onDone = () => {}
  return {
    /** Called by each job. */
    done: () => (left -= 1) === 0 && onDone(),
    /** Enqueues jobs in batches. Resolves when all of them have run. */
    async measure({ count, batch }, enqueue) {
      const from = performance.now()
      left = count
      const finished = new Promise((resolve) => (onDone = resolve))
      for (let sent = 0; sent < count; sent += batch) await enqueue(batch)
      await finished
      return { count, ms: performance.now() - from }
    },
  }
}

/** Repeats a transaction that inserts a row, and more with it, on one connection. */
export async function measureInserts(client, ms, more) {
  const { count, from, to } = await repeat(ms, async () => {
    await client.query('begin')
    await client.query('insert into notes (text) values ($1)', [VALUE.text])
    await more?.()
    await client.query('commit')
  })
  return { count, ms: to - from }
}

/** The table of the inserted rows. */
export const NOTES = 'create table notes (id bigint generated always as identity primary key, text text not null)'

/** Offers cases to the benchmark's process: functions that return a count and its time in ms. */
export function offer(cases, port = 0) {
  const all = { ...cases, cost: () => ({ count: cpuSince(), ms: 0 }) }
  process.on('message', ({ name, options }) => {
    const before = process.cpuUsage()
    Promise.resolve(all[name](options)).then(
      (result) => {
        process.send({ ...result, cpu: cpuSince(before) })
      },
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
  process.on('disconnect', () => process.exit()) // the parent is gone
  process.send({ port })
}

function cpuSince(before) {
  const { user, system } = process.cpuUsage(before)
  return user + system
}
