import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@sdk/database'
import type { Run } from '@sdk/protocol'
import { createDatabase, hasPostgres } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { startRunServices } from './runs/run-services.ts'

describe.runIf(hasPostgres())('a step that kills its process', () => {
  it('fails the run with RUN_CRASHES after five processes', { timeout: 180_000 }, async () => {
    const url = await createDatabase()
    const services = await startRunServices(1, url)
    const database = openDatabase(url)
    const path = (): string => `http://localhost:${services.ports[0]}/agent/fatal`
    const response = await fetch(path(), { method: 'POST', headers: { prefer: 'respond-async' } }).catch(() => null)
    // The process may end before it responds.
    const [row] = await database.query<{ id: string }>('select id from sdk_runs')
    const id = row?.id ?? response?.headers.get('run-id') ?? ''
    const get = async (): Promise<Run | null> => {
      const state = await fetch(`${path()}/runs/${id}`).catch(() => null)
      return state === null ? null : ((await state.json()) as Run)
    }
    let restarts = 0
    for (let run = await get(); typeof run?.endedAt !== 'string'; run = await get()) {
      await sleep(20)
      if (!services.process(0).hasEnded()) continue
      expect(++restarts).toBeLessThan(10)
      await services.start(0)
    }
    expect(await get()).toMatchObject({ status: 'failed', attempt: 6, error: { code: 'RUN_CRASHES' } })
    const steps = services.notes().map(({ step }) => step)
    expect(steps).toEqual(['before', 'kill', 'kill', 'kill', 'kill', 'kill'])
    expect(new Set(services.notes().map(({ pid }) => pid)).size).toBe(5)
    await services.end()
    await database.close()
  })
})
