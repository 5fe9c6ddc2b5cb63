import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createWorkbench, openRecording } from '@sdk/workbench'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { createWebDoor } from './web-door.ts'

describe('createWebDoor', () => {
  it('answers who asks for no URL, and leaves nobody waiting', async () => {
    const folder = temporaryFolder('door')
    const recording = openRecording({ root: folder.path })
    const workbench = createWorkbench({ app: { routes: [] }, recording })
    const server = createServer(createWebDoor(workbench, () => false).handle).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const asked = request({ port, path: 'http://[/', agent: false }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(400)
    response.resume()
    server.close()
    await workbench.close()
    await recording.close()
    folder.remove()
  })
})
