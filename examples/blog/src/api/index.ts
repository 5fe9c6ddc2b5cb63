import { createSessionMiddleware } from '@sdk/auth'
import { createRouter } from '@sdk/server'
import { auth } from '../auth.ts'
import { articleRoutes } from './articles.ts'
import { commentRoutes } from './comments.ts'
import { articlesWith, createTables } from './relations.ts'
import { comments, favorites, follows, tags } from './resources.ts'
import { users } from './users.ts'

export default createRouter()
  .onStart(createTables)
  .use('/api/*', createSessionMiddleware(auth, { optional: true, scheme: 'Token' })) // guests may read
  // The RealWorld API
  .mount('/api', users)
  .mount('/api', articleRoutes)
  .mount('/api', commentRoutes)
  // The same data as resources, for clients of your own
  .resource('v1', articlesWith)
  .resource('v1', tags)
  .resource('v1', comments)
  .resource('v1', favorites)
  .resource('v1', follows)
