import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from '@sdk/protocol'
import { createAgent, type App } from '@sdk/server'
import { z } from 'zod'

/** Sends requests to one of the apps that execute the runs. */
export interface RunApps {
  send(route: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>
}

/** A random number from 0 to 1. */
export type Random = () => number

const events = { approval: z.object({ by: z.string() }), stop: z.object({}), tick: z.object({}) }

/** Waits for an approval, after a step of this many ms and for this many ms. */
const approve = createAgent('approve', {
  durable: true,
  input: z.object({ before: z.number(), timeout: z.number() }),
  events,
  async handler(ctx, { before, timeout }) {
    await ctx.step('before', () => sleep(before))
    return (await ctx.wait('approval', { timeout })).by
  },
})

/** Has a race of an event and a timeout, and then runs again several times. Returns the winner each time. */
const race = createAgent('race', {
  durable: true,
  input: z.object({ timeout: z.number(), isReversed: z.boolean() }),
  events,
  async handler(ctx, { timeout, isReversed }) {
    const racers = [
      () => ctx.wait('approval').then(() => 'approved'),
      () => ctx.wait('stop', { timeout }).catch(() => 'late'),
      () => ctx.sleep('limit', timeout).then(() => 'slept'),
    ]
    const winner = await Promise.race((isReversed ? racers.toReversed() : racers).map((begin) => begin()))
    const first = await ctx.step('first', () => winner)
    for (let time = 0; time < 2; time++) await ctx.wait('tick', { id: `${time}`, timeout: 600 }).catch(() => null)
    return { first, winner }
  },
})

/** Waits for this many events at once. */
const many = createAgent('many', {
  durable: true,
  input: z.object({ count: z.int() }),
  events,
  handler: (ctx, { count }) =>
    Promise.all(Array.from({ length: count }, async (_, id) => (await ctx.wait('approval', { id: `${id}` })).by)),
})

export const AGENTS: readonly unknown[] = [approve, race, many]

/** Returns functions that send requests to these apps in turn. */
export function toRunApps(apps: readonly App[]): RunApps {
  let turn = 0
  return {
    async send(route, body) {
      const [method = '', path = ''] = route.split(' ')
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const headers = { 'content-type': 'application/json', prefer: 'respond-async' }
      const app = apps[turn++ % apps.length] as App
      const response = await app.fetch(new Request(`http://localhost${path}`, { method, headers, ...sent }))
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
    },
  }
}

/** Starts a run. Returns its path. */
export async function startRun({ send }: RunApps, agent: string, input: unknown): Promise<string> {
  const { body } = await send(`POST /agent/${agent}`, input)
  return `/agent/${agent}/runs/${(body as Run).id}`
}

/** Waits until a run has ended. */
export async function untilEnded({ send }: RunApps, path: string): Promise<Run> {
  for (;;) {
    const run = (await send(`GET ${path}?wait=10`)).body as Run
    if (run.endedAt !== null) return run
  }
}

/** Waits until a run waits. Returns its timeout. */
async function untilWaiting({ send }: RunApps, path: string): Promise<number> {
  for (;;) {
    const { waiting, endedAt } = (await send(`GET ${path}?wait=10`)).body as Run
    if (waiting !== null || endedAt !== null) return Date.parse(waiting?.until ?? '1970-01-01')
  }
}

/** Returns the status of a response, or the code of its error. */
async function codeOf({ send }: RunApps, path: string, event: string, body: unknown): Promise<string> {
  const response = await send(`POST ${path}/events/${event}`, body)
  return (response.body as { error?: { code: string } } | null)?.error?.code ?? `${response.status}`
}

const outcomeOf = ({ status, output, error }: Run): string =>
  status === 'done' ? `done ${String(output)}` : `${status} ${error?.code ?? ''}`.trim()

/** A schedule. Returns what the contract allows and what happened. */
type Schedule = (apps: RunApps, random: Random) => Promise<{ readonly allowed: string[]; readonly found: string }>

/** The schedules by name. */
export const SCHEDULES: Readonly<Record<string, Schedule>> = {
  /** An event and the timeout in the same ms: the event counts if and only if it was accepted. */
  async 'event against timeout'(apps, random) {
    const path = await startRun(apps, 'approve', { before: 0, timeout: 500 + Math.floor(random() * 300) })
    // The timeout is noticed within a second, when a process claims the run.
    await sleep((await untilWaiting(apps, path)) - Date.now() + (random() * 0.5 - 0.2) * 1000)
    const code = await codeOf(apps, path, 'approval', { by: 'ada' })
    const found = `${code}, ${outcomeOf(await untilEnded(apps, path))}`
    return { allowed: ['204, done ada', 'EVENT_SENT, failed EVENT_TIMEOUT'], found }
  },

  /** Several events at once: one value counts, the same value is accepted again, and others are rejected. */
  async 'events at once'(apps, random) {
    const path = await startRun(apps, 'approve', { before: random() * 20, timeout: 60_000 })
    await sleep(random() * 200)
    const values = Array.from({ length: 5 }, () => (random() < 0.5 ? 'ada' : 'bob'))
    const codes = await Promise.all(values.map((by) => codeOf(apps, path, 'approval', { by })))
    const found = `${String(codes)}, ${outcomeOf(await untilEnded(apps, path))}`
    const winners = [...new Set(values)]
    const expected = (winner: string): string => String(values.map((by) => (by === winner ? '204' : 'EVENT_SENT')))
    return { allowed: winners.map((winner) => `${expected(winner)}, done ${winner}`), found }
  },

  /** A cancellation against the event that ends the run: it is either cancelled or done, never both. */
  async 'cancel against end'(apps, random) {
    const path = await startRun(apps, 'approve', { before: random() * 20, timeout: 60_000 })
    await sleep(random() * 200)
    const event = sleep(random() * 30).then(() => codeOf(apps, path, 'approval', { by: 'ada' }))
    const [, code] = await Promise.all([sleep(random() * 30).then(() => apps.send(`DELETE ${path}`)), event])
    const found = `${code}, ${outcomeOf(await untilEnded(apps, path))}`
    return { allowed: ['204, cancelled', 'RUN_ENDED, cancelled', '204, done ada'], found }
  },

  /** An event before the wait is returned by it. */
  async 'event before the wait'(apps, random) {
    const path = await startRun(apps, 'approve', { before: 50 + random() * 300, timeout: 60_000 })
    const code = await codeOf(apps, path, 'approval', { by: 'ada' })
    return { allowed: ['204, done ada'], found: `${code}, ${outcomeOf(await untilEnded(apps, path))}` }
  },

  /** A race has the same winner each time the handler runs, and an event that was rejected never wins. */
  async race(apps, random) {
    const timeout = 300 + Math.floor(random() * 700)
    const path = await startRun(apps, 'race', { timeout, isReversed: random() < 0.5 })
    await sleep(timeout * random())
    const [event, by] = random() < 0.5 ? ['approval', { by: 'ada' }] : ['stop', {}]
    await codeOf(apps, path, event, by)
    const { output, status } = await untilEnded(apps, path)
    const { first, winner } = output as { first: unknown; winner: unknown }
    return { allowed: ['done true'], found: `${status} ${JSON.stringify(first) === JSON.stringify(winner)}` }
  },
}
