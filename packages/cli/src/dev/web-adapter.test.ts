import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createWorkbench, openRecording } from '@sdk/workbench'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWebAdapter } from './web-adapter.ts'

const folder = temporaryFolder('door')
const recording = openRecording({ root: folder.path })
const workbench = createWorkbench({ app: { routes: [] }, recording })
const adapter = createWebAdapter(workbench, () => false)
const server = createServer(adapter.handle).on('upgrade', adapter.upgrade)
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  server.close()
  await workbench.close()
  await recording.close()
  folder.remove()
})

async function statusOf(path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo
  const outgoing = request({ port, path, headers, agent: false }).end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

describe('createWebAdapter', () => {
  it('responds with 400 to an invalid URL', async () => {
    expect(await statusOf('http://[/')).toBe(400)
  })

  it('rejects WebSockets at the workbench and at unknown paths', async () => {
    const headers = { connection: 'upgrade', upgrade: 'websocket' }
    expect([await statusOf('/_workbench', headers), await statusOf('/chat', headers)]).toEqual([403, 404])
  })
})
