import { describe, expect, it } from 'vitest'
import { memoryEngine } from './memory-engine.ts'

// What every engine promises is in tests/contract; its parts have tests of their own.

describe('memoryEngine', () => {
  it('keeps as much history as it was told', async () => {
    const engine = memoryEngine({ history: { messages: 2 } })
    const { from } = await engine.subscribe('lobby', () => {})
    await engine.publish('lobby', 'one')
    const place = await engine.publish('lobby', 'two')
    expect(await engine.history('lobby', from, 10)).toHaveLength(2)
    await engine.publish('lobby', 'three')
    expect(await engine.history('lobby', from, 10)).toBe('gap')
    expect(await engine.history('lobby', place, 10)).toMatchObject([{ data: 'three' }])
  })

  it('has forgotten who was there, what was said and how far it was when it closes', async () => {
    const engine = memoryEngine()
    const place = await engine.publish('lobby', 'hello')
    await engine.presence.join('lobby', { id: 'ada', data: '{}' })
    await engine.sequence.set('session', 1)
    await engine.close()
    expect(await engine.presence.list('lobby')).toEqual([])
    expect(await engine.sequence.get('session')).toBeNull()
    expect(await engine.history('lobby', place, 10)).toBe('gap')
  })
})
