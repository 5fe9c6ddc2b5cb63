import { ApiError } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { issuesOf } from './call-input.ts'

describe('issuesOf', () => {
  const error = new ApiError('INVALID_REQUEST', 'no', {
    details: [
      { code: 'REQUIRED', message: 'is required', source: 'body', pointer: '/a~1b/0' },
      { code: 'INVALID_TYPE', message: 'must be a number', source: 'query', name: 'page.size' },
    ],
  })

  it('returns the issues of each part of a request', () => {
    expect(issuesOf(error)).toEqual([{ pointer: '/a~1b/0', message: 'is required' }])
    expect(issuesOf(error, 'query')).toEqual([{ pointer: '/page/size', message: 'must be a number' }])
    expect(issuesOf(null)).toEqual([])
  })
})
