import { expect, it } from 'vitest'
import { toAccessText, toTargetText } from './list-text.ts'

it('formats the parameters and the query of a request', () => {
  expect(toTargetText('GET /api/v1/tasks', '/api/v1/tasks')).toBe('')
  expect(toTargetText('GET /api/v1/tasks', '/api/v1/tasks?done=false&title=caf%C3%A9+%26')).toBe(
    'done=false  title=café &',
  )
  expect(toTargetText('GET /api/v1/tasks/:id', '/api/v1/tasks/7?expand=labels')).toBe('/api/v1/tasks/7  expand=labels')
})

it('formats the conditions of an access rule', () => {
  expect(toAccessText({})).toBe('all')
  expect(toAccessText({ teamId: [3, 7], ownerId: 'ada', done: null })).toBe(
    'teamId in (3, 7) and ownerId = "ada" and done = null',
  )
  expect(toAccessText(null)).toBe('separate for each subscriber')
})
