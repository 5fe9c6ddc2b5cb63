import { freePort } from './free-port.ts'
import { findRedis } from './programs.ts'
import { startProcess } from './running-process.ts'
import { type Service, startService } from './service.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Starts a Redis server on a free port. It starts in about 20 ms, so every test file can have its own. */
export async function startRedis(): Promise<Service> {
  const command = findRedis()
  if (command === undefined) throw new Error('redis-server not found: install the redis-server package')
  const folder = temporaryFolder('redis')
  const port = await freePort()
  return startService({
    url: `redis://127.0.0.1:${port}`,
    folder,
    async launch() {
      // Redis replies before it writes while a sync is in progress, so a killed server could lose acknowledged writes.
      const lasting = { appendonly: 'yes', appendfsync: 'no' }
      const settings = { port, bind: '127.0.0.1', dir: folder.path, save: '', ...lasting }
      const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
      const running = await startProcess({ command, args })
      await running.waitFor(/Ready to accept connections/)
      return running
    },
  })
}
