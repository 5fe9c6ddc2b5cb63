// One of the processes that execute runs, which is killed, stopped and restarted.
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, postgresRuns, table } from '@sdk/database'
import { createAgent, createApp, createResource, createRouter, serve, type Log } from '@sdk/server'
import { z } from 'zod'
import type { EssayChunk, EssayInput } from './essay.ts'

/** The input from its parent. */
export interface RunServiceOptions {
  readonly database: string
  /** The file with one line for each executed step and each aborted execution: `{run} {step} {pid}`. */
  readonly notes: string
  readonly port: number
}

const { database: url, notes, port } = JSON.parse(process.argv[2] ?? '') as RunServiceOptions
const quiet = (): void => {}
const print = (message: string, fields?: object): void => console.log(message, JSON.stringify(fields))
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: print }

const note = (run: string, step: string): void => appendFileSync(notes, `${run} ${step} ${process.pid}\n`)

/** Streams an essay. All chunks of a part must come from one execution of its step. */
const essay = createAgent('essay', {
  durable: true,
  input: z.object({ parts: z.int(), chunks: z.int(), pause: z.number() }) satisfies z.ZodType<EssayInput>,
  async *handler(ctx, { parts, chunks, pause }): AsyncGenerator<EssayChunk> {
    ctx.signal.addEventListener('abort', () => note(ctx.run.id, 'aborted'))
    for (let part = 0; part < parts; part++) {
      const title = await ctx.step('title', () => `title ${part}`)
      yield* ctx.step.stream('write', async function* () {
        note(ctx.run.id, `${part}`)
        const by = `${process.pid} ${randomUUID()}`
        for (let number = 0; number < chunks; number++) {
          await sleep(pause)
          yield { part, number, by, title }
        }
      })
    }
  },
})

/** Runs steps one after the other. Returns their values, each of which differs in each execution. */
const chain = createAgent('chain', {
  durable: true,
  input: z.object({ steps: z.int(), pause: z.number() }),
  async handler(ctx, { steps, pause }) {
    const values: string[] = []
    for (let number = 0; number < steps; number++) {
      const value = await ctx.step(`step ${number}`, async () => {
        note(ctx.run.id, `${number}`)
        await sleep(pause)
        return randomUUID()
      })
      values.push(value)
    }
    return values
  },
})

/** Kills its process in a step. */
const fatal = createAgent('fatal', {
  durable: true,
  async handler(ctx) {
    await ctx.step('before', () => note(ctx.run.id, 'before'))
    await ctx.step('kill', async () => {
      note(ctx.run.id, 'kill')
      process.kill(process.pid, 'SIGKILL')
      await sleep(60_000)
    })
  },
})

const database = openDatabase(url)
const entries = createResource('entries', {
  schema: z.object({ run: z.string(), step: z.string() }),
  store: table('entries', { database }),
  access: 'public',
})
const router = createRouter().resource('v1', entries)

/** Stores a row and starts a run in each step, in one transaction. */
const ledger = createAgent('ledger', {
  durable: true,
  input: z.object({ steps: z.int(), pause: z.number() }),
  async handler(ctx, { steps, pause }) {
    for (let number = 0; number < steps; number++)
      await ctx.step(
        `step ${number}`,
        async ({ tx }) => {
          await tx.rows(entries).create({ run: ctx.run.id, step: `${number}` })
          await tx.start(receipt, { run: ctx.run.id, step: `${number}` })
          note(ctx.run.id, `${number}`)
          await sleep(pause)
        },
        { transaction: true },
      )
  },
})

const receipt = createAgent('receipt', {
  durable: true,
  input: z.object({ run: z.string(), step: z.string() }),
  handler: () => null,
})

const agents = [essay, chain, fatal, ledger, receipt]
const app = createApp({ agents, router, log, runs: postgresRuns({ database, log }), rateLimit: false })
const server = await serve(app, { port })
console.log(`serves ${server.url}`)
