import { describe, expectTypeOf, it } from 'vitest'
import { createRouter, type RoutesOf } from './router.ts'

describe('mount', () => {
  it('names the routes of the inner router as they are reached', () => {
    const inner = createRouter()
      .on('GET|PUT /', () => ({ all: 1 }))
      .on('POST /:id', () => ({ one: 1 }))
    const _router = createRouter()
      .on('GET /api/status', () => 'ok')
      .mount('/api/inner', inner)
    type Known = RoutesOf<typeof _router>
    expectTypeOf<keyof Known>().toEqualTypeOf<
      'GET /api/status' | 'GET /api/inner' | 'PUT /api/inner' | 'POST /api/inner/:id'
    >()
    expectTypeOf<Known['PUT /api/inner']['~io']['output']>().toEqualTypeOf<{ all: number }>()
  })
})
