// The benchmark's app, without or with the recorder of the dev server.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent, createApp, createLog, serve } from '@sdk/server'
import { openRecording } from '@sdk/workbench'
import { report } from '../harness/report.mjs'
import { burst, Input, paced, work } from '../http/shape.mjs'

const app = createApp({
  agents: [
    createAgent('work', { input: Input, handler: (_ctx, input) => work(input) }),
    createAgent('burst', { handler: burst }),
    createAgent('paced', { handler: paced }),
  ],
  rateLimit: { default: { quota: 1e9, window: 60 }, agent: { quota: 1e9, window: 60 } },
  // One log line per request, as in `sdk dev`, with or without a recorder.
  log: createLog({ format: 'pretty', write: () => {} }),
})
const server = await serve(process.env.BENCH_RECORDED === 'yes' ? recorded() : app, { port: 0 })
report(server.port)

function recorded() {
  const root = mkdtempSync(join(tmpdir(), 'sdk-bench-recorder-'))
  process.on('exit', () => rmSync(root, { recursive: true, force: true }))
  // Simulates an open list of runs.
  let told = 0
  return openRecording({ root, onRun: () => told++ }).recordApp(app)
}
