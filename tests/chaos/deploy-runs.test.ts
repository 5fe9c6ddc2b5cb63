import { openDatabase, postgresRuns } from '@sdk/database'
import type { Run } from '@sdk/protocol'
import { createAgent, createApp, type Agent, type App, type Log } from '@sdk/server'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { choose } from './mode.ts'

const RUNS = choose(100, 25)
const warnings: unknown[] = []
const quiet = (): void => {}
const log: Log = { debug: quiet, info: quiet, warn: (...line) => warnings.push(line), error: quiet }

/** The executed steps of each version, as `{number} {step}`. */
const executed: Record<'old' | 'new', string[]> = { old: [], new: [] }

const input = z.object({ number: z.int() })

const before = createAgent('order', {
  durable: true,
  input,
  async handler(ctx, { number }) {
    const step = (name: string): Promise<string> =>
      ctx.step(name, () => (executed.old.push(`${number} ${name}`), `old ${name}`))
    for (const name of ['plan', 'reserve', 'mail']) await step(name)
    await ctx.sleep('an hour', '1h')
    return step('charge')
  },
})

/** Adds the step `check`, renames `reserve` to `reserve 2`, and removes `mail`. */
const after = createAgent('order', {
  durable: true,
  input,
  async handler(ctx, { number }) {
    const step = (name: string): Promise<string> =>
      ctx.step(name, () => (executed.new.push(`${number} ${name}`), `new ${name}`))
    const values = [await step('plan'), await step('check'), await step('reserve 2')]
    await ctx.sleep('an hour', '1h')
    return [...values, await step('charge')]
  },
})

async function send(app: App, route: string, body?: unknown): Promise<Run> {
  const [method = '', path = ''] = route.split(' ')
  const headers = { 'content-type': 'application/json', prefer: 'respond-async' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  return (await (await app.fetch(new Request(`http://localhost${path}`, { method, headers, ...sent }))).json()) as Run
}

const kinds = DATABASE_KINDS.filter(({ isHere }) => isHere)

// PGlite runs the statements of PostgreSQL, so a short run uses only one of them.
describe.each(choose(kinds, kinds.slice(-1)))('a deployment while runs sleep on $kind', ({ url }) => {
  it('continues them with the new steps, and keeps the values and times of the others', async () => {
    for (const version of ['old', 'new'] as const) executed[version] = []
    warnings.length = 0
    const database = openDatabase(await url())
    const toApp = (agent: unknown): App =>
      createApp({ agents: [agent as Agent], log, runs: postgresRuns({ database, log }), rateLimit: false })
    const old = toApp(before)
    const starting = Array.from({ length: RUNS }, (_, number) => send(old, 'POST /agent/order', { number }))
    const paths = (await Promise.all(starting)).map(({ id }) => `/agent/order/runs/${id}`)
    const states = async (app: App): Promise<Run[]> => Promise.all(paths.map((path) => send(app, `GET ${path}`)))
    const statuses = async (app: App): Promise<string[]> => [
      ...new Set((await states(app)).map(({ status }) => status)),
    ]
    await expect.poll(() => statuses(old)).toEqual(['waiting'])
    await old.close()

    // Two hours pass.
    await database.query(
      `update sdk_run_steps set value = (value::bigint - 7200000)::text where name = 'an hour#sleep'`,
    )
    await database.query(`update sdk_runs set due_at = due_at - interval '2 hours'`)
    const app = toApp(after)
    await app.ready()
    await expect.poll(() => statuses(app), { interval: 500 }).toEqual(['done'])

    const output = ['old plan', 'new check', 'new reserve 2', 'new charge']
    for (const run of await states(app)) expect(run).toMatchObject({ attempt: 2, output })
    const times = (version: 'old' | 'new', name: string): number =>
      executed[version].filter((entry) => entry.endsWith(` ${name}`)).length
    expect(new Set(executed.new).size).toBe(executed.new.length)
    expect(['plan', 'check', 'reserve 2', 'charge', 'mail'].map((name) => times('new', name))).toEqual([
      0,
      RUNS,
      RUNS,
      RUNS,
      0,
    ])
    expect(['plan', 'reserve', 'mail', 'charge'].map((name) => times('old', name))).toEqual([RUNS, RUNS, RUNS, 0])
    expect(warnings).toEqual([])
    await app.close()
    await database.close()
  })
})
