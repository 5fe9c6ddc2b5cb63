// A server that receives files of any size, and reports its peak memory.
import { createHash } from 'node:crypto'
import { createApp, createRouter, readFormParts, serve } from '@sdk/server'
import { sendReports } from './child.ts'

/** The state of the server. */
export interface UploadReport {
  /** The peak memory of the process since the last report, in bytes. */
  readonly peak: number
}

let peak = 0
const measure = (): void => {
  peak = Math.max(peak, process.memoryUsage.rss())
}

const router = createRouter().on('POST /api/files', async (ctx) => {
  const files: { filename: string | null; bytes: number; sha256: string }[] = []
  for await (const { filename, body } of readFormParts(ctx.request, 1_000_000_000)) {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of body) {
      hash.update(chunk)
      bytes += chunk.length
      measure()
    }
    files.push({ filename, bytes, sha256: hash.digest('hex') })
  }
  return files
})

// A busy machine needs more than the default of 30 s.
const { port } = await serve(createApp({ router }), { port: 0, timeouts: { request: 300_000 } })
sendReports(port, (): UploadReport => {
  measure()
  const report = { peak }
  peak = 0
  return report
})
