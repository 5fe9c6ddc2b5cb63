import { expect, it } from 'vitest'
import type { RunObserver } from '../observe/request-observer.ts'
import { PausedObservers } from './paused-observers.ts'

const createObserver = (): RunObserver => ({ onNestedRun: createObserver, onLog() {}, onChunk() {}, onEnd() {} })

it('returns an observer once, and drops the oldest of more than 100', () => {
  const paused = new PausedObservers()
  const [first, last] = [createObserver(), createObserver()]
  paused.keep('oldest', createObserver())
  paused.keep('first', first)
  for (let index = 0; index < 98; index++) paused.keep(String(index), createObserver())
  paused.keep('last', last)
  expect([paused.take('oldest'), paused.take('first'), paused.take('first')]).toEqual([undefined, first, undefined])
  expect(paused.take('last')).toBe(last)
})
