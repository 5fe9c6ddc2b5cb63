import { expect, it } from 'vitest'
import type { RunObserver } from '../observe/request-observer.ts'
import { WaitingObservers } from './waiting-observers.ts'

const createObserver = (): RunObserver => ({ onNestedRun: createObserver, onLog() {}, onChunk() {}, onEnd() {} })

it('returns an observer once, and drops the oldest of more than 100', () => {
  const waiting = new WaitingObservers()
  const [first, last] = [createObserver(), createObserver()]
  waiting.keep('oldest', createObserver())
  waiting.keep('first', first)
  for (let index = 0; index < 98; index++) waiting.keep(String(index), createObserver())
  waiting.keep('last', last)
  expect([waiting.take('oldest'), waiting.take('first'), waiting.take('first')]).toEqual([undefined, first, undefined])
  expect(waiting.take('last')).toBe(last)
})
