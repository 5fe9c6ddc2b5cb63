// One of the processes that execute runs, which is killed, stopped and restarted.
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, postgresRuns } from '@sdk/database'
import { createAgent, createApp, serve, type Log } from '@sdk/server'
import { z } from 'zod'
import type { EssayChunk, EssayInput } from './essay.ts'

/** The input from its parent. */
export interface RunServiceOptions {
  readonly port: number
  readonly database: string
  /** The file with one line per executed step. */
  readonly notes: string
  /** The lease of a process, in seconds. */
  readonly lease: number
}

const { port, database: url, notes, lease } = JSON.parse(process.argv[2] ?? '') as RunServiceOptions
const quiet = (): void => {}
const print = (message: string, fields?: object): void => console.log(message, JSON.stringify(fields))
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: print }

/** Streams an essay. All chunks of a part must come from one execution of its step. */
const essay = createAgent('essay', {
  durable: true,
  input: z.object({ parts: z.int(), chunks: z.int(), pause: z.number() }) satisfies z.ZodType<EssayInput>,
  async *handler(ctx, { parts, chunks, pause }): AsyncGenerator<EssayChunk> {
    for (let part = 0; part < parts; part++) {
      const title = await ctx.step('title', () => {
        appendFileSync(notes, `${ctx.run.id} ${part} ${process.pid}\n`)
        return `title ${part}`
      })
      yield* ctx.step.stream('write', async function* () {
        const by = `${process.pid} ${randomUUID()}`
        for (let number = 0; number < chunks; number++) {
          await sleep(pause)
          yield { part, number, by, title }
        }
      })
    }
  },
})

const database = openDatabase(url)
const app = createApp({ agents: [essay], log, runs: postgresRuns({ database, lease, log }), rateLimit: false })
const server = await serve(app, { port })
console.log(`serves ${server.url}`)
