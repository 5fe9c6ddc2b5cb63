import { describe, expect, it } from 'vitest'
import { createPathTemplates } from './path-templates.ts'

describe('createPathTemplates', () => {
  it('writes parameters in braces and escapes other braces', () => {
    const template = createPathTemplates()
    expect(template('/api/tasks/:id/parts/:part')).toStrictEqual({
      path: '/api/tasks/{id}/parts/{part}',
      names: ['id', 'part'],
    })
    expect(template('/api/{x}')).toStrictEqual({ path: '/api/%7Bx%7D', names: [] })
  })

  it('uses the names of the first path if paths differ only in names', () => {
    const template = createPathTemplates()
    const first = template('/tasks/:id')
    expect(template('/tasks/:task')).toBe(first)
    expect(template('/tasks/:id/parts')).not.toBe(first)
  })
})
