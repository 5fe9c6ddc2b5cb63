import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { it } from 'vitest'
import { DRIVERS } from '../contract/drivers.ts'
import { eachEngine } from './cluster/arena.ts'
import { openMembers } from './cluster/members.ts'
import { startFleet, untilReady } from './cluster/fleet.ts'
import { settle, unhandled } from './cluster/messages.ts'

eachEngine.each(DRIVERS)('a process that starts while the server of its $name is down', (driver) => {
  it('serves requests, fails /readyz, and recovers when the server is up', async ({ expect }) => {
    const server = await driver.start()
    await server.kill()
    const folder = temporaryFolder('cluster')
    const notes = join(folder.path, 'notes')
    writeFileSync(notes, '')
    const fleet = await startFleet(1, { engine: server.url, notes, spread: 500, quota: 600 })
    const url = `http://127.0.0.1:${fleet.ports[0]}`
    try {
      const ready = await fetch(`${url}/readyz`)
      expect([ready.status, await ready.json()]).toMatchObject([503, { status: 'failing', failed: ['engine'] }])
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
      // Requests are allowed while limits cannot be shared.
      expect((await fetch(`${url}/api/hello`)).status).toBe(200)

      await server.start()
      await untilReady(fleet.ports[0] ?? 0)
      const members = await openMembers({ port: fleet.ports[0] ?? 0, clients: 2, rooms: 1 })
      for (const member of members) member.sendNext()
      await settle(members)
      expect(unhandled(members, notes)).toEqual([])
      await expect.poll(() => members.map(({ messages }) => messages.count)).toEqual([2, 2])
      const limited = await fetch(`${url}/api/hello`)
      expect(limited.headers.get('ratelimit')).toMatch(/"default";r=59\d/)
      for (const member of members) member.close()
    } finally {
      await fleet.end()
      await server.stop()
      folder.remove()
    }
  })
})
