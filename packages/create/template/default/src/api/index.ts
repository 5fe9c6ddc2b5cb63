import { createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { createRouter } from '@sdk/server'
import { auth } from '../auth.ts'
import { database } from '../database.ts'
import { chat } from './chat.ts'
import { notes } from './notes.ts'

export default createRouter()
  .use('/api/*', createSessionMiddleware(auth, { optional: true }))
  .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
  .on('GET /api/status', () => ({ status: 'ok', database: database.kind }))
  .resource('v1', notes)
  .socket('/ws/chat', chat)
