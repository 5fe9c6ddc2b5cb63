/// <reference types="node" />
/** The last line has a type error: resource.test.ts reads the error that a compiler reports. */
import type { Schema } from '@sdk/protocol'
import { memoryStore } from '../resource/memory-store.ts'
import { createResource } from './resource.ts'
import type { ResourceRoutes } from './resource-routes.ts'

declare const schema: Schema<{ name?: string | null }>
const _notes = createResource('notes', { schema, store: memoryStore(), access: 'public' })
declare const note: ResourceRoutes<'v1', typeof _notes>['GET /api/v1/notes/:id']['~io']['output']

export const name: number = note.name
