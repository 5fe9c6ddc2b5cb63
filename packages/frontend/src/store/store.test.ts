import { describe, expect, it, vi } from 'vitest'
import { createStore } from './store.ts'

describe('createStore', () => {
  it('notifies listeners only of changes, each with a new object', () => {
    const store = createStore({ a: 1, b: 2 })
    const before = store.get()
    const listener = vi.fn<() => void>()
    store.subscribe(listener)
    store.patch({ a: 1 })
    expect(listener).not.toHaveBeenCalled()
    expect(store.get()).toBe(before)
    store.patch({ a: 3 })
    expect(listener).toHaveBeenCalledOnce()
    expect(store.get()).toEqual({ a: 3, b: 2 })
    expect(before).toEqual({ a: 1, b: 2 })
  })

  it('ends each subscription separately, even of the same listener', () => {
    const store = createStore({ a: 1 })
    const listener = vi.fn<() => void>()
    const stop = store.subscribe(listener)
    store.subscribe(listener)
    stop()
    stop()
    store.patch({ a: 2 })
    expect(listener).toHaveBeenCalledOnce()
  })
})
