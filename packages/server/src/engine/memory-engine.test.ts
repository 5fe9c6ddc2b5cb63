import { describe, expect, it } from 'vitest'
import { memoryEngine } from './memory-engine.ts'

// The contract of every engine is tested in tests/contract; the parts of this one have their own tests.

describe('memoryEngine', () => {
  it('keeps as many messages as the history option allows', async () => {
    const engine = memoryEngine({ history: { messages: 2 } })
    const { from } = await engine.subscribe('lobby', () => {})
    await engine.publish('lobby', 'one')
    const position = await engine.publish('lobby', 'two')
    expect(await engine.history('lobby', from, 10)).toHaveLength(2)
    await engine.publish('lobby', 'three')
    expect(await engine.history('lobby', from, 10)).toBe('gap')
    expect(await engine.history('lobby', position, 10)).toMatchObject([{ data: 'three' }])
  })

  it('forgets presence, sequences and history on close', async () => {
    const engine = memoryEngine()
    const position = await engine.publish('lobby', 'hello')
    await engine.presence.join('lobby', { id: 'ada', data: '{}' })
    await engine.sequence.set('session', 1)
    await engine.close()
    expect(await engine.presence.list('lobby')).toEqual([])
    expect(await engine.sequence.get('session')).toBeNull()
    expect(await engine.history('lobby', position, 10)).toBe('gap')
  })
})
