import { createAgent } from '@sdk/server'
import { describe, expectTypeOf, it } from 'vitest'
import { mcpContent, type McpBlocks } from './index.ts'

describe('mcpContent', () => {
  it('types the result of a handler', () => {
    const image = { type: 'image', data: 'QQ==', mimeType: 'image/png' } as const
    createAgent('chart', {
      output: mcpContent,
      handler: (_ctx) => ({ content: [{ type: 'text', text: 'one' }, image] }),
    })
    // @ts-expect-error -- a block of text has the member `text`
    createAgent('chart', { output: mcpContent, handler: (_ctx) => ({ content: [{ type: 'text' }] }) })
    type Output = NonNullable<(typeof mcpContent)['~standard']['types']>['output']
    expectTypeOf<Output>().toEqualTypeOf<McpBlocks>()
  })
})
