// A server whose calls are recorded: it reports which of them are on disk.
import { createAgent, createApp, type Log, serve } from '@sdk/server'
import { openRecording } from '@sdk/workbench'
import { sendReports } from './child.ts'

/** The calls that are on disk. */
export interface RecordedReport {
  readonly confirmed: readonly string[]
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const app = createApp({
  log: silent,
  rateLimit: false,
  agents: [
    createAgent('echo', { handler: (_ctx, input: unknown) => input }),
    createAgent('repeat', {
      async *handler(_ctx, input: { text: string; times: number }) {
        for (let n = 0; n < input.times; n++) {
          yield { n, text: input.text }
          await new Promise((resolve) => setImmediate(resolve))
        }
      },
    }),
  ],
})
const recording = openRecording({ root: process.env['SDK_RECORDED'] ?? '' })
recording.store.limit({ maxRuns: 100_000, maxBytes: 1_000_000_000 })
const server = await serve(recording.recordApp(app), { port: 0, signals: false })

sendReports(server.port, async (): Promise<RecordedReport> => {
  const { runs } = await recording.store.list({ status: 'done', limit: 500 })
  await recording.store.flush()
  return { confirmed: runs.map(({ id }) => id) }
})
