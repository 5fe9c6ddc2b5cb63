import { createDatabase, hasPostgres } from '@sdk/test-kit'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { openNotificationListener } from './notification-listener.ts'

describe.skipIf(!hasPostgres())('openNotificationListener', () => {
  it('receives notifications again after the server has ended its connection', async () => {
    const url = await createDatabase()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const keys: string[] = []
    let connections = 0
    const listener = openNotificationListener({
      url,
      channel: 'news',
      timeout: 5_000,
      prepare: () => Promise.resolve(),
      connected: () => (connections += 1),
      disconnected: () => {},
      onNotification: (key) => keys.push(key),
    })
    await expect.poll(() => connections).toBe(1)
    await client.query(`notify news, 'before'`)
    await expect.poll(() => keys).toEqual(['before'])

    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await expect.poll(() => connections).toBe(2)
    await client.query(`notify news, 'after'`)
    await expect.poll(() => keys).toEqual(['before', 'after'])
    await listener.close()
    await client.end()
  })
})
