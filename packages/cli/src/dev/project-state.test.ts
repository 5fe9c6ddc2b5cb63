import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { createProjectState } from './project-state.ts'

describe('createProjectState', () => {
  it('increments the revision when a reload starts, and emits an event when a load starts or ends', async () => {
    const events: unknown[] = []
    const state = createProjectState(temporaryFolder('state').path, { emit: (...event) => void events.push(event) })
    let end = (): void => {}
    const first = new Promise<void>((resolve) => (end = resolve))
    state.beginLoad([])
    state.track(first)
    expect(state.info()).toEqual({ branch: null, revision: 1, isReloading: true })
    end()
    await first
    expect(state.info()).toMatchObject({ revision: 1, isReloading: false })

    const broken = Promise.reject(new Error('does not load'))
    state.beginLoad(['src/api/index.ts'])
    state.track(broken)
    expect(state.info()).toMatchObject({ revision: 2, isReloading: true })
    await broken.catch(() => {})
    expect(state.info()).toMatchObject({ revision: 2, isReloading: false })
    expect(events).toEqual([1, 1, 2, 2].map((revision) => ['manifest', { revision }]))
  })
})
