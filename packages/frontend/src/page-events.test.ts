// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { pageEvents } from './page-events.ts'

afterEach(() => vi.restoreAllMocks())

describe('pageEvents', () => {
  it('reports that the page wakes up or goes offline, until it is stopped', () => {
    const received: string[] = []
    const stop = pageEvents((event) => received.push(event))
    for (const name of ['online', 'offline', 'pageshow']) dispatchEvent(new Event(name))
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    document.dispatchEvent(new Event('resume'))
    expect(received).toEqual(['wake', 'offline', 'wake', 'wake', 'wake'])
    stop()
    dispatchEvent(new Event('online'))
    expect(received).toHaveLength(5)
  })

  it('does not report that a hidden page wakes up', () => {
    const received: string[] = []
    const stop = pageEvents((event) => received.push(event))
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    dispatchEvent(new Event('offline'))
    expect(received).toEqual(['offline'])
    stop()
  })

  it('does nothing without a page', () => {
    vi.stubGlobal('addEventListener', undefined)
    vi.stubGlobal('removeEventListener', undefined)
    expect(() => pageEvents(() => {})()).not.toThrow()
  })
})
