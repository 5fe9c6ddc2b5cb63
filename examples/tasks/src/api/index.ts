/** Shows how the parts of an API come together: session middleware, plain routes, resources and sockets. */
import { createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { createRouter } from '@sdk/server'
import { auth } from '../auth.ts'
import { database } from '../database.ts'
import { chat } from './chat.ts'
import { comments } from './comments.ts'
import { files } from './files.ts'
import { labels, newLabel, taskLabels } from './labels.ts'
import { messages } from './messages.ts'
import { people } from './people.ts'
import { presence } from './presence.ts'
import { assignedTasksWith, tasksWith } from './relations.ts'
import { taskSearch } from './task-search.ts'
import { assistantMessages } from './assistant-messages.ts'

export default createRouter()
  .use('/api/*', createSessionMiddleware(auth, { optional: true })) // each route decides who may call it
  .use('/ws/*', createSessionMiddleware(auth)) // only signed-in users may join the room
  .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
  .on('GET /api/status', () => ({ status: 'ok', database: database.kind }))
  .mount('/api/files', files)
  .mount('/api/tasks/search', taskSearch)
  .mount('/api/people', people)
  .mount('/api/v1/tasks', newLabel)
  .resource('v1', tasksWith)
  .resource('v1', assignedTasksWith)
  .resource('v1', comments)
  .resource('v1', labels)
  .resource('v1', taskLabels)
  .resource('v1', messages)
  .socket('/ws/chat', chat)
  .socket('/ws/presence', presence)
  .resource('v1', assistantMessages)
