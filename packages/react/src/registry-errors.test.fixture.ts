/** Every line has a type error: registry.test.ts reads the errors that a compiler reports. */
import type { HasTypes } from '@sdk/protocol'
import { useAPI, usePages } from '@sdk/react'

declare module '@sdk/protocol' {
  interface Routes {
    'GET /api/v1/notes': HasTypes<{ input: undefined; output: string[]; stream: false; query: unknown }>
    'GET /api/v1/notes/:id': HasTypes<{ input: undefined; output: string; stream: false; query: unknown }>
  }
}

export function useMistakes(): void {
  useAPI('GET /api/v1/note')
  useAPI({ route: 'GET /api/v1/note' })
  useAPI('GET /api/v1/notes/:id')
  useAPI('GET /api/v1/notes/:id', {})
  usePages('GET /api/v1/notes')
  usePages('GET /api/v1/notes/:id', { params: { id: 1 } })
}
