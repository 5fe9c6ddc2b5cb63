import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Child, startChild } from './child.ts'
import type { UploadReport } from './upload-server.ts'

const BYTES = 100_000_000
const CHUNK = randomBytes(100_000)

let child: Child<UploadReport>
beforeAll(async () => {
  child = await startChild<UploadReport>('upload-server.ts')
})
afterAll(() => child?.stop())

describe('a file of 100 MB in a form', () => {
  it('is received completely with constant memory', async () => {
    await upload(CHUNK.length) // loads the code
    const before = await child.report()
    expect(await upload(BYTES)).toEqual([{ filename: 'large.bin', bytes: BYTES, sha256: hashOf(BYTES) }])
    const after = await child.report()
    expect(after.peak - before.peak).toBeLessThan(50_000_000)
  })
})

async function upload(bytes: number): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${child.port}/api/files`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=xyz' },
    // Node.js accepts an async iterable, which is missing in the DOM types.
    body: formOf(bytes) as never,
    duplex: 'half',
  } as RequestInit)
  return response.json()
}

async function* formOf(bytes: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('--xyz\r\nContent-Disposition: form-data; name=file; filename=large.bin\r\n\r\n')
  for (let sent = 0; sent < bytes; sent += CHUNK.length) yield CHUNK
  yield Buffer.from('\r\n--xyz--\r\n')
}

function hashOf(bytes: number): string {
  const hash = createHash('sha256')
  for (let sent = 0; sent < bytes; sent += CHUNK.length) hash.update(CHUNK)
  return hash.digest('hex')
}
