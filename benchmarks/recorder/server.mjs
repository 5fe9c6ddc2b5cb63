// The benchmark's app, served as it is, or recorded as a dev server records it.
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
  // A line for each request, as `sdk dev` has them, with or without a recorder.
  log: createLog({ format: 'pretty', write: () => {} }),
})
const server = await serve(process.env.BENCH_RECORDED === 'yes' ? recorded() : app, { port: 0 })
report(server.port)

function recorded() {
  const root = mkdtempSync(join(tmpdir(), 'sdk-bench-recorder-'))
  process.on('exit', () => rmSync(root, { recursive: true, force: true }))
  // Somebody looks at the list of runs.
  let told = 0
  return openRecording({ root, onRun: () => told++ }).recordApp(app)
}
