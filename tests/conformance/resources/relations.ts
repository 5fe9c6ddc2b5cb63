import {
  belongsTo,
  countOf,
  createResource,
  existsIn,
  hasMany,
  relate,
  type AccessRequest,
  type ResourceAccess,
  type Router,
  type Where,
} from '@sdk/server'
import { z } from 'zod'
import type { Stores } from './store-case.ts'

const Note = z.object({
  title: z.string().max(100),
  body: z.string().default(''),
  parentId: z.int().nullable().optional(),
})

/** The ids that the user `some` may see. */
export const LISTED_IDS: number[] = []

/** A rule for each kind of answer, chosen by the user. */
function ruleOf({ user }: AccessRequest): boolean | Where {
  if (user === null || user.id === 'mute') return false
  if (user.id === 'root') return true
  if (user.id === 'some') return { id: LISTED_IDS }
  if (user.id === 'pair') return { ownerId: ['ada', 'bob'] }
  if (user.id === 'void') return { ownerId: [] }
  return { ownerId: user.id }
}

/** A rule that shows one's own rows, and lets everyone create some. */
const ownRows = (call: AccessRequest): boolean | Where => call.action === 'create' || ruleOf(call)

/** Articles with relations to notes of everyone (`public`), and to notes with a rule (`own`). */
export async function addRelatedResources(router: Router, stores: Stores): Promise<Router> {
  const create = async (name: string, access: ResourceAccess) =>
    createResource(name, {
      schema: Note,
      store: await stores.source('notes', name),
      access,
      assign: ({ user }) => ({ ownerId: user?.id ?? 'nobody' }),
      filter: ['parentId'],
      sort: ['title', 'createdAt'],
    })
  const [articles, notes, posts] = [
    await create('articles', 'public'),
    await create('notes', ownRows),
    await create('posts', 'public'),
  ]
  return router
    .resource('v1', notes)
    .resource('v1', posts)
    .resource(
      'v1',
      relate(articles, {
        note: belongsTo(notes, 'parentId'),
        notes: hasMany(notes, 'parentId', { limit: 3, sort: '-title' }),
        noteCount: countOf(notes, 'parentId'),
        allNotes: countOf(notes, 'parentId', { of: 'everyone', exact: true }),
        noted: existsIn(notes, 'parentId', ({ user }) => ({ ownerId: user.id })),
        post: belongsTo(posts, 'parentId'),
        posts: hasMany(posts, 'parentId'),
        postCount: countOf(posts, 'parentId', { exact: true }),
        posted: existsIn(posts, 'parentId', ({ user }) => ({ ownerId: user.id })),
      }),
    )
}
