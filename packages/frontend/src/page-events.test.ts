// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { pageEvents } from './page-events.ts'

afterEach(() => vi.restoreAllMocks())

describe('pageEvents', () => {
  it('hears the page wake up and go offline, until it is stopped', () => {
    const heard: string[] = []
    const stop = pageEvents((event) => heard.push(event))
    for (const name of ['online', 'offline', 'pageshow']) dispatchEvent(new Event(name))
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    document.dispatchEvent(new Event('resume'))
    expect(heard).toEqual(['wake', 'offline', 'wake', 'wake', 'wake'])
    stop()
    dispatchEvent(new Event('online'))
    expect(heard).toHaveLength(5)
  })

  it('does not take a page that is hidden for one that wakes up', () => {
    const heard: string[] = []
    const stop = pageEvents((event) => heard.push(event))
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    dispatchEvent(new Event('offline'))
    expect(heard).toEqual(['offline'])
    stop()
  })

  it('is silent where there is no page', () => {
    vi.stubGlobal('addEventListener', undefined)
    vi.stubGlobal('removeEventListener', undefined)
    expect(() => pageEvents(() => {})()).not.toThrow()
  })
})
