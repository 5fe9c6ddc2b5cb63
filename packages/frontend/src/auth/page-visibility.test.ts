// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { pageVisibility } from './page-visibility.ts'

it('reports events of the page, but not the focus of an element, until it is stopped', () => {
  const received: string[] = []
  const field = document.body.appendChild(document.createElement('input'))
  const stop = pageVisibility((event) => received.push(event))
  field.dispatchEvent(new Event('focus'))
  expect(received).toEqual([])
  dispatchEvent(new Event('focus'))
  dispatchEvent(new Event('offline'))
  dispatchEvent(new Event('online'))
  expect(received).toEqual(['wake', 'offline', 'wake'])
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
  expect(received.splice(3)).toContain('restored')
  stop()
  dispatchEvent(new Event('focus'))
  dispatchEvent(new Event('online'))
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
  expect(received).toHaveLength(3)
  field.remove()
})
